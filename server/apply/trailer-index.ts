import { proposalOfCommit } from '#domain/proposal/commit-message.rules.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'

type Index = { head: string; commits: Map<string, string[]>; rewrites: number }
const indexes = new WeakMap<GitRepository, Index>()

/**
 * The commits of the branch by the proposal that their trailer names, up to `head` ([apply#steps] 2). Built
 * from the log, kept in memory and continued from the last known commit; a branch that was rewritten is read again.
 */
export async function commitsByProposal(
  garden: GitRepository,
  head: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const known = indexes.get(garden)
  if (known?.head === head) return known.commits
  const fresh = await garden.log(known ? { from: head, until: known.head } : { from: head })
  // Somebody else in this process may have continued it meanwhile: a commit is counted once.
  if (indexes.get(garden) !== known) return commitsByProposal(garden, head)
  const continues = known !== undefined && fresh.some(({ parents }) => parents.includes(known.head))
  const commits: Map<string, string[]> = continues ? known.commits : new Map()
  for (const { oid, message } of fresh.reverse()) {
    const id = proposalOfCommit(message)
    if (id) commits.set(id, [...(commits.get(id) ?? []), oid])
  }
  const rewrites = (known?.rewrites ?? 0) + (known && !continues ? 1 : 0)
  indexes.set(garden, { head, commits, rewrites })
  return commits
}

/** How often the branch was seen to do anything but grow. */
export const rewritesOf = (garden: GitRepository): number => indexes.get(garden)?.rewrites ?? 0

/** The commit of this proposal on the branch, or null. */
export async function commitOf(garden: GitRepository, head: string, id: string): Promise<string | null> {
  return (await commitsByProposal(garden, head)).get(id)?.[0] ?? null
}
