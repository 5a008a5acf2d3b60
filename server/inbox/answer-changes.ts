/**
 * An agent answers a request for changes ([proposals#requesting-changes]): the first proposal of the request's run for the same target takes the
 * place of the one that was reviewed. Step 03 creates it; this closes the old one, and the siblings where the owner wished it, in the same
 * transaction. A step that is replayed finds its entry before it comes here.
 *
 * A replay of the request's run answers it as well: its answer takes the place of the earlier one. All answers to a request queue up for the row of
 * the proposal that was reviewed, and then hold its whole line, so the request has one open successor however many replays there are. What the
 * owner has in hand meanwhile (approved, edited, rebased, asked to be changed again) makes no room: the answer is refused, and its run says why.
 * Where the old one was rejected or has expired its state stays, and the new one still names it: it waits for a decision like any other.
 */
import sql, { type Sql } from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { type LineMember, placeOfAnswer } from '#domain/proposal/answer.rules.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { isSupersedable } from '#domain/proposal/proposal-commands.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import { state } from '#server/ledger/states.ts'
import type { NewProposal } from '#server/proposals/create-proposal.ts'
import type { ProposalRow } from '#server/proposals/proposal-row.ts'
import { relate } from './submit-successor.ts'
import { closeSuperseded } from './supersede-proposal.ts'

export type AnsweredRequest = {
  /** The proposal that was reviewed. */
  old: ProposalRow
  /** The answer that makes room for this one. */
  earlier: ProposalRow | null
  requestedBy: string
}
type LineRow = ProposalRow & {
  requested_by: string
  execution: string | null
  placed_execution: string | null
}

/**
 * What the new proposal takes the place of; these rows are locked. Null when it is a proposal like any other; 409 `INVALID_TRANSITION` when the owner
 * has what came of the request in hand.
 */
export async function requestAnsweredBy(
  tx: Db,
  request: string,
  proposal: Pick<NewProposal, 'target' | 'runId'>,
): Promise<Result<AnsweredRequest | null>> {
  const [old, ...later] = await lockLine(tx, request, proposal)
  if (!old) return ok(null)
  const memberOf = ({ status, change_request, relations, ...row }: LineRow): LineMember => ({
    status,
    request: change_request,
    answers: relations.supersedes === old.proposal_id,
    same_execution: row.execution !== null && row.execution === row.placed_execution,
  })
  const place = placeOfAnswer([memberOf(old), ...later.map(memberOf)], request)
  if (place === 'beside') return ok(null)
  if (place === 'successor') {
    const earlier = later.find(({ status }) => isSupersedable(status)) ?? null
    return ok({ old, earlier, requestedBy: old.requested_by })
  }
  return refuse({
    code: 'INVALID_TRANSITION',
    message:
      place === 'overtaken'
        ? `Other changes were requested since, so this answer to an earlier request is not proposed.`
        : `What came of this request is approved or was edited, so another answer to it is not proposed.`,
    details: { event: 'revise', proposal_id: later.at(-1)?.proposal_id ?? old.proposal_id },
  })
}

/** The run whose step 02 a run's proposals come of. */
const executionOf = (run: Sql): Sql =>
  sql`(SELECT coalesce(s.executed_by_run, s.run_id) FROM run_step s WHERE s.run_id = ${run} AND s.step = 2)`

/**
 * The proposal that was reviewed and what came of it in turn, each locked. Whoever adds to a line changes its last row, so a line that is no longer
 * than when it was locked stays as it is until the end of the transaction.
 */
async function lockLine(
  tx: Db,
  request: string,
  { target, runId }: Pick<NewProposal, 'target' | 'runId'>,
): Promise<LineRow[]> {
  for (let locked = 0; ; ) {
    const { rows } = await tx.query<LineRow>(sql`WITH RECURSIVE line AS (
        SELECT p.proposal_id, p.relations, e.source_identity, 0 AS depth
        FROM inbox_entry e JOIN proposal p ON p.proposal_id = e.payload #>> '{changes_requested,proposal_id}'
        WHERE e.inbox_id = ${request} AND p.target_type = ${target.type} AND p.target_path = ${target.path}
        UNION ALL SELECT n.proposal_id, n.relations, l.source_identity, l.depth + 1 FROM line l JOIN proposal n ON n.proposal_id IN (
          l.relations ->> 'superseded_by', l.relations ->> 'answered_by', l.relations ->> 'resubmitted_as', l.relations ->> 'remainder_as'))
      SELECT p.*, l.source_identity AS requested_by, ${executionOf(sql`p.run_id`)} AS execution,
        ${executionOf(sql`${runId}`)} AS placed_execution
      FROM line l JOIN proposal p USING (proposal_id) ORDER BY l.depth, p.proposal_id FOR UPDATE OF p`)
    if (rows.length === locked) return rows
    locked = rows.length
  }
}

/**
 * The old one, an earlier answer and the siblings that were to go with it: REJECTED → DISCARDED, each naming its successor. The decision is the
 * owner's, made with the request, or with the replay.
 */
export async function supersedeAnswered(
  tx: Db,
  { old, earlier, requestedBy }: AnsweredRequest,
  successor: ProposalRow,
): Promise<void> {
  const owner: Caller = { role: 'owner', identity: requestedBy, via: 'system' }
  const { rows: siblings } = await tx.query<ProposalRow>(sql`SELECT * FROM proposal
    WHERE change_request = ${old.change_request} AND proposal_id <> ${old.proposal_id} AND status = ${state(proposalMachine, 'PENDING')} ORDER BY proposal_id FOR UPDATE`)
  for (const one of [old, ...(earlier ? [earlier] : []), ...siblings]) {
    const closed = await closeSuperseded(tx, { old: one, command: 'revise' }, successor.proposal_id, owner)
    if (!closed && one !== old) continue
    const isSuperseded = closed || one.relations.superseded_by !== undefined
    const relation = {
      old: one,
      // What she decided herself was not superseded: her agent is told of it.
      relations: { [isSuperseded ? 'superseded_by' : 'answered_by']: successor.proposal_id },
      command: 'revise' as const,
      inboxId: successor.inbox_entry_id,
      details: { requested_in: old.change_request, revised_digest: successor.content_digest },
    }
    await relate(tx, relation, owner)
  }
}
