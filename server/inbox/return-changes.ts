/**
 * Brings back what is awaited in vain ([proposals#requesting-changes]): the run of the request has ended, and each that replays it, and nothing took
 * the proposal's place. One guarded statement over the run's state, so nobody waits for ever, whatever ended the run: a failure, a cancel, an output without that target.
 */
import sql from 'sql-template-tag'
import { ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import { recordOf } from '#domain/event/record.rules.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { PROPOSAL_RECORD } from '#domain/proposal/proposal.record.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { state, states } from '#server/ledger/states.ts'
import type { ProposalRow } from '#server/proposals/proposal-row.ts'
import type { Services } from '#server/services.ts'

const PENDING = state(proposalMachine, proposalMachine.events.create.to)
const [first = runMachine.events.request.to, ...others] = runMachine.states.filter(
  (status) => !runMachine.final.includes(status),
)
const AT_WORK = states(runMachine, first, ...others)

/** Returns how many, at most `limit`. At least an hour is left to decide on each. */
export const returnUnanswered = ({ db }: Pick<Services, 'db'>, limit = 200): Promise<number> =>
  db.transaction(async (tx) => {
    const { rows } =
      await tx.query<ProposalRow>(sql`UPDATE proposal SET awaiting_changes_since = NULL, version = version + 1,
        expires_at = greatest(expires_at, clock_timestamp() + interval '1 hour'), updated_at = clock_timestamp()
      WHERE proposal_id IN (SELECT p.proposal_id FROM proposal p
        WHERE p.status = ${PENDING} AND p.awaiting_changes_since IS NOT NULL
          AND NOT EXISTS (WITH RECURSIVE line AS (
              SELECT o.run_id, o.status FROM run o WHERE o.inbox_entry_id = p.change_request
              UNION ALL SELECT r.run_id, r.status FROM run r JOIN line l ON r.replay_of = l.run_id)
            SELECT 1 FROM line WHERE status IN ${AT_WORK})
        ORDER BY p.awaiting_changes_since, p.proposal_id LIMIT ${limit} FOR UPDATE SKIP LOCKED)
      RETURNING *`)
    for (const row of rows)
      await recordEvent(tx, {
        name: 'proposal.changes_returned',
        actor: ORCHESTRATION_LAYER,
        resource: { type: 'proposal', id: row.proposal_id },
        refs: { proposal_id: row.proposal_id, inbox_id: row.inbox_entry_id },
        details: { requested_in: row.change_request, record: recordOf(PROPOSAL_RECORD.returnChanges, row) },
      })
    return rows.length
  })
