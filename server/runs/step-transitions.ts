/**
 * The transitions of a run's steps. Every write names the run's fence: a process that lost its lease changes nothing.
 *
 * A step begins by changing the run's `current_step` in the same statement, so that a cancel (guarded by `current_step < 3`) and the
 * beginning of step 03 compete for one row. A checkpoint is one transaction: the step's output with its digest, and [runs#R4] on the run.
 */
import sql, { empty, type Sql } from 'sql-template-tag'
import { ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import { STEPS, stepMachine } from '#domain/run/step.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import { state } from '#server/ledger/states.ts'
import { transition } from '#server/ledger/transition.ts'
import { asJson, jsonDigest } from './run-objects.ts'
import { type Fenced, FenceLost } from './run-parts.ts'
import { IN_RUNNING, type RunErrorRow, type StepAttempt, type StepRow } from './run-row.ts'

const { begin, retry } = stepMachine.events
/** Retry, checkpoint and giving up all leave the state that `begin` enters. */
const IN_BEGUN = state(stepMachine, begin.to)

/** Begins the step, or continues it; null when the fence is stale or a cancel was requested before step 03. */
export async function beginStep(
  db: Db,
  lease: Fenced,
  step: number,
  inputDigest: string,
): Promise<StepRow | null> {
  const { rows } = await db.query<StepRow>(sql`WITH leased AS (
      UPDATE run SET current_step = ${step}, updated_at = clock_timestamp(),
        revision = revision + CASE WHEN current_step = ${step} THEN 0 ELSE 1 END
      WHERE run_id = ${lease.runId} AND fence = ${lease.fence} AND status = ${IN_RUNNING} AND steps_completed = ${step - 1}
        AND (${step} < 3 OR cancel_requested IS NULL OR current_step >= 3)
      RETURNING run_id)
    INSERT INTO run_step AS s (run_id, step, status, fence, input_digest)
    SELECT run_id, ${step}, ${IN_BEGUN}, ${lease.fence}, ${inputDigest} FROM leased
    ON CONFLICT (run_id, step) DO UPDATE SET fence = excluded.fence WHERE s.status = ${IN_BEGUN}
    RETURNING *`)
  return rows[0] ?? null
}

/** A failed attempt that another follows: kept in `attempts`, counted against the run's retry budget. */
export async function recordRetry(db: Db, lease: Fenced, step: number, attempt: StepAttempt): Promise<void> {
  const { rows } = await db.query(sql`WITH leased AS (
      UPDATE run SET retries_used = retries_used + 1, attempt = attempt + 1, revision = revision + 1, updated_at = clock_timestamp()
      WHERE run_id = ${lease.runId} AND fence = ${lease.fence} AND status = ${IN_RUNNING} RETURNING run_id)
    UPDATE run_step s SET status = ${state(stepMachine, retry.to)}, attempts = s.attempts || ${json([attempt])} FROM leased
    WHERE s.run_id = leased.run_id AND s.step = ${step} AND s.status = ${IN_BEGUN}
    RETURNING s.step`)
  if (!rows[0]) throw new FenceLost(lease.runId)
}

export type Checkpoint = {
  step: number
  output: Record<string, unknown>
  /** What is added to those that are recorded. */
  attempts: StepAttempt[]
  /** Further columns of the run that this step fixes, over the row `t`. */
  set?: Sql | undefined
}

/** [runs#R4]: the step's output and the run's progress, in the caller's transaction. Throws FenceLost when the fence is stale. */
export async function checkpointStep(tx: Db, lease: Fenced, done: Checkpoint): Promise<void> {
  const output = asJson(done.output)
  const digest = jsonDigest(output)
  const name = STEPS.find((s) => s.n === done.step)?.name ?? ''
  const moved = await transition(tx, {
    machine: 'run',
    event: 'step_done',
    actor: ORCHESTRATION_LAYER,
    where: sql`o.run_id = ${lease.runId} AND o.fence = ${lease.fence} AND o.steps_completed = ${done.step - 1}`,
    set: sql`steps_completed = ${done.step}, attempt = 1, waiting_on = NULL, revision = t.revision + 1${done.set ? sql`, ${done.set}` : empty}`,
    details: { step: done.step, name, output_digest: digest },
    returning: ['run_id'],
  })
  if (!moved[0]) throw new FenceLost(lease.runId)
  await closeStep(tx, lease, 'checkpoint', done.step, {
    attempts: done.attempts,
    output,
    digest,
    error: null,
  })
}

/** The step's final failure, in the transaction that fails the run; `attempts` are added to those that are recorded. */
export async function giveUpStep(
  tx: Db,
  lease: Fenced,
  step: number,
  attempts: StepAttempt[],
  error: RunErrorRow,
): Promise<void> {
  await closeStep(tx, lease, 'give_up', step, { attempts, output: null, digest: null, error })
}

type Closing = {
  attempts: StepAttempt[]
  output: Record<string, unknown> | null
  digest: string | null
  error: RunErrorRow | null
}

/**
 * The end of a step, in the transaction whose change of the run names the fence. The step may have begun under an earlier one: a run that
 * waited and whose time is over then ends without beginning its step again.
 */
async function closeStep(
  tx: Db,
  lease: Fenced,
  event: 'checkpoint' | 'give_up',
  step: number,
  end: Closing,
): Promise<void> {
  await tx.query(sql`UPDATE run_step SET status = ${state(stepMachine, stepMachine.events[event].to)}, attempts = attempts || ${json(end.attempts)},
      output = ${end.output === null ? sql`NULL` : json(end.output)}, output_digest = ${end.digest},
      error = ${end.error === null ? sql`NULL` : json(end.error)}, finished_at = clock_timestamp()
    WHERE run_id = ${lease.runId} AND step = ${step} AND fence <= ${lease.fence} AND status = ${IN_BEGUN}`)
}
