/**
 * Snoozing ([proposals#snoozing]): a pending proposal is out of the review order until a time that the owner chose. `snoozed_until` alone
 * says so; the worker clears it when the time has come, so that the order stays one partial index.
 */
import sql from 'sql-template-tag'
import type { SnoozeInput } from '#contracts/proposal-commands.contract.ts'
import { type Caller, SCHEDULER } from '#domain/authority/caller.ts'
import { recordOf } from '#domain/event/record.rules.ts'
import { type Result, refuse } from '#domain/kernel/result.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { PROPOSAL_RECORD } from '#domain/proposal/proposal.record.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { state } from '#server/ledger/states.ts'
import type { Services } from '#server/services.ts'
import { changesAwaited } from './changes-awaited.ts'
import { setFlag } from './flag-proposal.ts'
import type { ProposalRow } from './proposal-row.ts'
import { auditName, type Outcome } from './transition-proposal.ts'

/** Out of the review order until then: a time in the future and before the expiry, else 422 `LIMIT_EXCEEDED`. */
export const snoozeProposal = (
  { db }: Pick<Services, 'db'>,
  { proposal_id: id, until }: SnoozeInput,
  actor: Caller,
): Promise<Result<Outcome>> => {
  const at = sql`${until}::timestamptz(3)`
  const set = sql`snoozed_until = ${at}`
  const holds = sql`snoozed_until IS NOT DISTINCT FROM ${at}`
  const guard = sql`${at} > clock_timestamp() AND ${at} < expires_at AND awaiting_changes_since IS NULL`
  const unmet = (row: ProposalRow) => {
    const awaited = changesAwaited(row)
    if (awaited) return refuse(awaited)
    return row.snoozed_until?.getTime() === new Date(until).getTime() ? null : outOfTime(row)
  }
  const details = { until }
  return db.transaction((tx) =>
    setFlag(tx, { id, command: 'snooze', set, holds, guard, unmet, details }, actor),
  )
}

const outOfTime = ({ expires_at }: ProposalRow): Result<never> =>
  refuse({
    code: 'LIMIT_EXCEEDED',
    message: `Choose a time in the future and before the proposal expires (${expires_at.toISOString()}).`,
    details: { expires_at: expires_at.toISOString() },
  })

/** Back in the review order now. */
export const unsnoozeProposal = (
  { db }: Pick<Services, 'db'>,
  { proposal_id: id }: { proposal_id: string },
  actor: Caller,
): Promise<Result<Outcome>> => {
  const [set, holds] = [sql`snoozed_until = NULL`, sql`snoozed_until IS NULL`]
  return db.transaction((tx) => setFlag(tx, { id, command: 'unsnooze', set, holds }, actor))
}

const PENDING = state(proposalMachine, proposalMachine.events.create.to)

/** Brings back what was snoozed until now; returns how many, at most `limit`. */
export const endSnoozes = ({ db }: Pick<Services, 'db'>, limit = 200): Promise<number> =>
  db.transaction(async (tx) => {
    const { rows } =
      await tx.query<ProposalRow>(sql`UPDATE proposal SET snoozed_until = NULL, updated_at = clock_timestamp()
      WHERE status = ${PENDING} AND snoozed_until <= clock_timestamp() AND proposal_id IN (
        SELECT proposal_id FROM proposal WHERE status = ${PENDING} AND snoozed_until <= clock_timestamp()
        ORDER BY snoozed_until, proposal_id LIMIT ${limit} FOR UPDATE SKIP LOCKED)
      RETURNING *`)
    for (const row of rows)
      await recordEvent(tx, {
        name: auditName('unsnooze'),
        actor: SCHEDULER,
        resource: { type: 'proposal', id: row.proposal_id },
        refs: { proposal_id: row.proposal_id, inbox_id: row.inbox_entry_id },
        details: { record: recordOf(PROPOSAL_RECORD.unsnooze, row) },
      })
    return rows.length
  })
