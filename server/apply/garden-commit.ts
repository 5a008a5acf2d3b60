import { commitMessage } from '#domain/proposal/commit-message.rules.ts'
import { ABSENT } from '#domain/proposal/conflict.rules.ts'
import type { GitRepository, Person } from '#server/ports/git-repository.ts'
import { digestOf } from '#server/proposals/digests.ts'
import type { ProposalRow } from '#server/proposals/proposal-row.ts'
import type { Computed } from './compute-result.ts'

const COMMITTER: Person = { name: 'Apply Engine', email: 'apply-engine@garden-bloom.invalid' }

/** The source identity as the author of a commit. */
const authorOf = (identity: string): Person => ({
  name: identity,
  email: `${identity.replace(/[^A-Za-z0-9._-]/g, '.')}@garden-bloom.invalid`,
})

/** Writes blobs, tree and commit on `head` ([apply#steps] 5); they are invisible until the branch moves. */
export const writeCommit = (
  garden: GitRepository,
  head: string,
  row: ProposalRow,
  { files, forcedOver }: Extract<Computed, { ok: true }>,
): Promise<string> =>
  garden.commit({
    parent: head,
    changes: files,
    message: commitMessage({
      proposalId: row.proposal_id,
      inboxEntry: row.inbox_entry_id,
      action: row.action,
      by: row.agent_slug ?? row.source_identity,
      summary: row.summary,
      reasoning: row.reasoning,
      paths: files.map((file) => file.path),
      approvedBy: row.decided_by ?? 'owner',
      agent: row.agent_slug && `${row.agent_slug} v${row.agent_version ?? '?'}`,
      runId: row.run_id,
      baseRevision: row.base_revision,
      reviewDigest: row.review_digest,
      forcedOver,
      reverts: row.relations.reverts ?? null,
      editedFrom: row.relations.edited_from ?? null,
    }),
    author: authorOf(row.source_identity),
    committer: COMMITTER,
  })

/** One hash over the content of all files of a proposal; of a single file its own. */
export const combinedHash = (files: readonly (readonly [path: string, hash: string])[]): string =>
  files.length === 1 && files[0] ? files[0][1] : digestOf(files)

export type CommitOutcome = { paths: string[]; resultHash: string; overHash: string }

/** What a commit did, read off the repository: the same whether this engine made it or found it. */
export async function outcomeOfCommit(
  garden: GitRepository,
  row: ProposalRow,
  commit: string,
): Promise<CommitOutcome> {
  const [made] = await garden.log({ from: commit, limit: 1 })
  const parent = made?.parents[0]
  const hashes = async (revision: string | undefined) => {
    const read = async (path: string) =>
      (revision ? (await garden.read(path, revision))?.sha256 : undefined) ?? ABSENT
    return combinedHash(
      await Promise.all(row.changes.map(async (c) => [c.path, await read(c.path)] as const)),
    )
  }
  const paths = (await garden.changedPaths(commit)).map((change) => change.path)
  return { paths, resultHash: await hashes(commit), overHash: await hashes(parent) }
}
