/**
 * Proposals: the body, the fold of the history, then the garden. A commit that names a proposal makes it applied whatever its history
 * says; the paths that it changed are read from the commit ([rebuild#fold]).
 */
import { fold, type PastEvent } from '#domain/event/record.rules.ts'
import { withCommit } from '#domain/proposal/commit-wins.rules.ts'
import { targetKey } from '#domain/proposal/conflict.rules.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { PROPOSAL_RECORD } from '#domain/proposal/proposal.record.ts'
import { outcomeOfCommit } from '#server/apply/garden-commit.ts'
import { commitsByProposal } from '#server/apply/trailer-index.ts'
import type { ProposalRow } from '#server/proposals/proposal-row.ts'
import { inserter } from './insert-rows.ts'
import { proposalOf } from './proposal-body.ts'
import { type Document, grouped, objectsBelow, parseDocument, type Read } from './read-objects.ts'
import type { Rebuild } from './rebuild-ledger.ts'

/** What the events of commands are called that change no state. */
const COMMANDS: Readonly<Record<string, keyof typeof PROPOSAL_RECORD>> = {
  'proposal.extended': 'extend',
  'proposal.archived': 'archive',
  'proposal.snoozed': 'snooze',
  'proposal.unsnoozed': 'unsnooze',
  'proposal.resubmitted': 'resubmit',
  'proposal.reverted': 'revert',
  'proposal.edited': 'edit',
  'proposal.revised': 'revise',
  'proposal.changes_requested': 'requestChanges',
  'proposal.changes_returned': 'returnChanges',
  'proposal.rebased': 'rebase',
}
const { take, applied } = proposalMachine.events

export async function rebuildProposals(to: Rebuild): Promise<Record<string, number>> {
  const proposals = inserter(to, 'proposal')
  const commits = await commitsByProposal(to.garden, await to.garden.head())
  const byProposal = grouped(
    objectsBelow(to, 'proposals/', parseDocument),
    (key) => key.split('/')[1]?.replace(/\.json$/, '') ?? '',
  )
  for await (const { name, objects } of byProposal) {
    const body = objects.find(({ key }) => !key.includes('/history/'))
    if (!body) {
      to.fault(`proposals/${name}/`, 'is the history of a proposal whose body is not there')
      continue
    }
    const history = objects.filter((object) => object !== body).map(pastEvent)
    const row = fold(proposalOf(body.value), history, PROPOSAL_RECORD) as unknown as ProposalRow
    await proposals.add({ key: body.key, row: await asGardenSays(to, row, commits.get(name) ?? []) })
  }
  return { proposal: await proposals.end() }
}

/** An event from the object of the history, which holds its very bytes. */
export function pastEvent({ value }: Read<Document>): PastEvent {
  const record = (value.details as Document | undefined)?.record as Document | undefined
  return {
    event: String(value.transition ?? COMMANDS[String(value.event)] ?? value.event),
    to: typeof value.to === 'string' ? value.to : null,
    at: String(value.ts),
    record: record ?? null,
  }
}

async function asGardenSays(
  to: Rebuild,
  folded: ProposalRow,
  commits: readonly string[],
): Promise<ProposalRow> {
  const row = withCommit({ ...folded, target_key: targetKey(folded.target_path) }, commits) as ProposalRow
  // Nobody holds it: the next engine takes it over and looks for the commit first.
  if (row.status === take.to) return { ...row, lease_expires_at: row.updated_at }
  if (row.status !== applied.to || row.git_commit === null) return row
  if (!commits.includes(row.git_commit)) {
    to.fault(
      `proposals/${row.proposal_id}.json`,
      `is applied, but its commit ${row.git_commit} is not on the branch`,
    )
    return row
  }
  const { paths, resultHash, overHash } = await outcomeOfCommit(to.garden, row, row.git_commit)
  const hashes = folded.status === applied.to ? {} : { result_hash: resultHash, applied_over_hash: overHash }
  return { ...row, ...hashes, applied_paths: paths }
}
