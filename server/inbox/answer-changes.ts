/**
 * An agent answers a request for changes ([proposals#requesting-changes]): the first proposal of the request's run for the same target takes the
 * place of the one that was reviewed. Step 03 creates it; this closes the old one, and the siblings where the owner wished it, in the same
 * transaction. A step that is replayed finds its entry before it comes here, and a second proposal of the target finds a successor already.
 *
 * Where the old one was rejected or has expired meanwhile its state stays, and the new one still names it: it waits for a decision like any other.
 * A replay of the request's run answers it as well, in vain once the old one was approved.
 */
import sql from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import { state, states } from '#server/ledger/states.ts'
import type { NewProposal } from '#server/proposals/create-proposal.ts'
import type { ProposalRow } from '#server/proposals/proposal-row.ts'
import { relate } from './submit-successor.ts'
import { closeSuperseded } from './supersede-proposal.ts'

const UNAPPROVED = states(proposalMachine, 'PENDING', 'REJECTED', 'DISCARDED', 'EXPIRED')

export type AnsweredRequest = { old: ProposalRow; requestedBy: string }

/** The proposal that the new one of this target takes the place of; its row is locked. Null when the request has its answer, or the old one was approved. */
export async function requestAnsweredBy(
  tx: Db,
  request: string,
  { target }: Pick<NewProposal, 'target'>,
): Promise<AnsweredRequest | null> {
  const { rows } = await tx.query<
    ProposalRow & { requested_by: string }
  >(sql`SELECT p.*, e.source_identity AS requested_by
    FROM inbox_entry e JOIN proposal p ON p.change_request = e.inbox_id AND p.proposal_id = e.payload #>> '{changes_requested,proposal_id}'
    WHERE e.inbox_id = ${request} AND p.target_type = ${target.type} AND p.target_path = ${target.path}
      AND p.status IN ${UNAPPROVED} AND NOT p.relations ?| ${['superseded_by', 'answered_by']}::text[] FOR UPDATE OF p`)
  const [found] = rows
  if (!found) return null
  const { requested_by: requestedBy, ...old } = found
  return { old: old as ProposalRow, requestedBy }
}

/** The old one and the siblings that were to go with it: REJECTED → DISCARDED, each naming its successor. The decision is the owner's, made with the request. */
export async function supersedeAnswered(
  tx: Db,
  { old, requestedBy }: AnsweredRequest,
  successor: ProposalRow,
): Promise<void> {
  const owner: Caller = { role: 'owner', identity: requestedBy, via: 'system' }
  const { rows: siblings } = await tx.query<ProposalRow>(sql`SELECT * FROM proposal
    WHERE change_request = ${old.change_request} AND proposal_id <> ${old.proposal_id} AND status = ${state(proposalMachine, 'PENDING')} ORDER BY proposal_id FOR UPDATE`)
  for (const one of [old, ...siblings]) {
    const closed = await closeSuperseded(tx, { old: one, command: 'revise' }, successor.proposal_id, owner)
    if (!closed && one !== old) continue
    const relation = {
      old: one,
      // What she decided herself was not superseded: her agent is told of it.
      relations: { [closed ? 'superseded_by' : 'answered_by']: successor.proposal_id },
      command: 'revise' as const,
      inboxId: successor.inbox_entry_id,
      details: { requested_in: old.change_request, revised_digest: successor.content_digest },
    }
    await relate(tx, relation, owner)
  }
}
