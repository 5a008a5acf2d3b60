/**
 * The owner or the operator cancels a run ([runs#R7], [runs#R8]).
 *
 * A run that has not started, or is parked on a question, ends at once. A running one gets a flag, in one statement guarded by `current_step < 3`; its holder acts on
 * it at the next safe point (≤ 5 s), or whoever releases it when it is suspended. Cancelling twice changes nothing.
 */
import sql from 'sql-template-tag'
import type { RunCancelInput, RunCancelled } from '#contracts/run-commands.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { allowed } from '#domain/kernel/machine.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import { CANCELLED, isFinal } from '#domain/run/run.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { transition } from '#server/ledger/transition.ts'
import { redactText } from '#server/redaction/redact.ts'
import type { Services } from '#server/services.ts'
import { cancelParked } from './cancel-parked.ts'
import { IN_RUNNING, type RunRow, readRun } from './run-row.ts'

const FINALIZING = 'Step 03 has begun, so the run can no longer be cancelled.'

type Parts = Pick<Services, 'db' | 'log'> & { orchestration: Pick<Services['orchestration'], 'cancelRun'> }

/**
 * Cancels, or says why not: 404, 409 RUN_FINALIZING, 409 INVALID_TRANSITION. A refusal is audited and changes nothing. What is recorded is
 * recorded; the engine is told after it, best effort, since it looks by itself at the next safe point.
 */
export async function cancelRun(
  { db, log, orchestration }: Parts,
  input: RunCancelInput,
  caller: Caller,
): Promise<Result<RunCancelled>> {
  const done = await db.transaction((tx) => endOrFlag(tx, input, caller))
  if (!done) return explain(db, input, caller)
  await orchestration
    .cancelRun(input.run_id)
    .catch((err) => log.warn({ run_id: input.run_id, err }, 'the engine was not told of the cancellation'))
  return ok(done)
}

/** Ends a run that has not started, flags one that runs; null when neither is possible. */
export const endOrFlag = async (
  tx: Db,
  input: RunCancelInput,
  caller: Caller,
): Promise<RunCancelled | null> =>
  (await cancelWaiting(tx, input, caller)) ??
  (await cancelParked(tx, input, caller)) ??
  flagRunning(tx, input, caller)

async function cancelWaiting(tx: Db, input: RunCancelInput, caller: Caller): Promise<RunCancelled | null> {
  const moved = await transition(tx, {
    machine: 'run',
    event: 'cancel',
    actor: caller,
    reason: input.reason,
    where: sql`o.run_id = ${input.run_id} AND o.started_at IS NULL`,
    set: sql`finished_at = clock_timestamp(), cancel_requested = ${redactText(input.reason)}, wait_reason = NULL, wait_blocker = NULL,
      totals = t.totals - 'queue_position', revision = t.revision + 1`,
    returning: ['run_id', 'status'],
  })
  const run = moved[0]
  return run ? { run_id: run.run_id, status: run.status, cancel_requested: false, unchanged: false } : null
}

type Flagged = Pick<RunRow, 'run_id' | 'status' | 'agent_slug'>

async function flagRunning(tx: Db, input: RunCancelInput, caller: Caller): Promise<RunCancelled | null> {
  const { rows } =
    await tx.query<Flagged>(sql`UPDATE run SET cancel_requested = ${redactText(input.reason)}, revision = revision + 1, updated_at = clock_timestamp(),
      totals = totals || ${json({ cancelled_by: caller.identity })}
    WHERE run_id = ${input.run_id} AND status = ${IN_RUNNING} AND current_step < 3 AND cancel_requested IS NULL
    RETURNING run_id, status, agent_slug`)
  const run = rows[0]
  if (!run) return null
  await recordEvent(tx, {
    name: 'run.cancel_requested',
    actor: caller,
    reason: input.reason,
    resource: { type: 'run', id: run.run_id },
    refs: { run_id: run.run_id, agent: run.agent_slug },
  })
  tx.notify('runs')
  return { run_id: run.run_id, status: run.status, cancel_requested: true, unchanged: false }
}

async function explain(db: Db, input: RunCancelInput, caller: Caller): Promise<Result<RunCancelled>> {
  const run = await readRun(db, input.run_id)
  if (!run) return refuse({ code: 'NOT_FOUND', message: 'There is no such run.' })
  const { run_id, status } = run
  if (status === CANCELLED || (!isFinal(status) && run.cancel_requested !== null)) {
    return ok({ run_id, status, cancel_requested: !isFinal(status), unchanged: true })
  }
  const code = isFinal(status) ? 'INVALID_TRANSITION' : 'RUN_FINALIZING'
  await recordEvent(db, {
    name: 'run.cancelled',
    actor: caller,
    reason: input.reason,
    outcome: 'refused',
    errorCode: code,
    resource: { type: 'run', id: run_id },
    refs: { run_id, agent: run.agent_slug },
  })
  return isFinal(status)
    ? refuse({
        code,
        message: `A run that is ${status} cannot be cancelled.`,
        details: { from: status, event: 'cancel', allowed: allowed(runMachine, status) },
      })
    : refuse({ code, message: FINALIZING })
}
