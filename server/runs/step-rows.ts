/**
 * The rows of a run's steps. Every write names the run's fence: a process that lost its lease changes nothing.
 *
 * A step begins by moving the run's `current_step` in the same statement, so that a cancel (which asks for `current_step`
 * below 3) and the beginning of step 03 compete for one row. A checkpoint is one transaction: the step's output with its
 * digest, and R4 on the run with its event.
 */
import sql, { empty, type Sql } from 'sql-template-tag'
import { ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import { STEPS, stepMachine } from '#domain/run/step.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import { move } from '#server/ledger/move.ts'
import { json } from '#server/ledger/tell.ts'
import { asJson, digestOf } from './digest.ts'
import { FenceLost } from './run-parts.ts'
import { RUNNING, type RunErrorRow, type RunRow, type StepAttempt, type StepRow } from './run-row.ts'

type Fenced = { runId: string; fence: number }
const BEGUN = stepMachine.events.begin.to

/** Begins the step, or takes it up again; null when the fence is lost or a cancel came before step 03. */
export async function beginStep(
  db: Db,
  held: Fenced,
  step: number,
  inputDigest: string,
): Promise<StepRow | null> {
  const { rows } = await db.query<StepRow>(sql`WITH held AS (
      UPDATE run SET current_step = ${step}, updated_at = clock_timestamp(),
        revision = revision + CASE WHEN current_step = ${step} THEN 0 ELSE 1 END
      WHERE run_id = ${held.runId} AND fence = ${held.fence} AND status = ${RUNNING} AND steps_completed = ${step - 1}
        AND (${step} < 3 OR cancel_requested IS NULL OR current_step >= 3)
      RETURNING run_id)
    INSERT INTO run_step AS s (run_id, step, status, fence, input_digest)
    SELECT run_id, ${step}, ${BEGUN}, ${held.fence}, ${inputDigest} FROM held
    ON CONFLICT (run_id, step) DO UPDATE SET fence = excluded.fence WHERE s.status = ${BEGUN}
    RETURNING *`)
  return rows[0] ?? null
}

/** A try that failed and will be followed by another: kept in `attempts`, counted against the run's budget. */
export async function recordRetry(db: Db, held: Fenced, step: number, attempt: StepAttempt): Promise<void> {
  const { rows } = await db.query(sql`WITH held AS (
      UPDATE run SET retries_used = retries_used + 1, attempt = attempt + 1, revision = revision + 1, updated_at = clock_timestamp()
      WHERE run_id = ${held.runId} AND fence = ${held.fence} AND status = ${RUNNING} RETURNING run_id)
    UPDATE run_step s SET status = ${stepMachine.events.retry.to}, attempts = s.attempts || ${json([attempt])} FROM held
    WHERE s.run_id = held.run_id AND s.step = ${step} AND s.status = ANY(${[...(stepMachine.events.retry.from ?? [])]}::text[])
    RETURNING s.step`)
  if (!rows[0]) throw new FenceLost(held.runId)
}

export type Checkpoint = {
  step: number
  output: Record<string, unknown>
  attempts: StepAttempt[]
  /** Further columns of the run that this step fixes, over the row `t`. */
  set?: Sql | undefined
}

/** R4: the step's output and the run's progress, in the caller's transaction. Throws FenceLost when the fence is old. */
export async function checkpointStep(tx: Db, held: Fenced, done: Checkpoint): Promise<void> {
  const output = asJson(done.output)
  const digest = digestOf(output)
  const name = STEPS.find((s) => s.n === done.step)?.name ?? ''
  const moved = await move<RunRow>(tx, {
    machine: 'run',
    event: 'step_done',
    actor: ORCHESTRATION_LAYER,
    where: sql`o.run_id = ${held.runId} AND o.fence = ${held.fence} AND o.steps_completed = ${done.step - 1}`,
    set: sql`steps_completed = ${done.step}, attempt = 1, waiting_on = NULL, revision = t.revision + 1${done.set ? sql`, ${done.set}` : empty}`,
    details: { step: done.step, name, output_digest: digest },
  })
  if (!moved[0]) throw new FenceLost(held.runId)
  await closeStep(tx, held, 'checkpoint', done.step, {
    attempts: done.attempts,
    output,
    digest,
    error: null,
  })
}

/** The step's final failure, in the transaction that fails the run. */
export async function giveUpStep(
  tx: Db,
  held: Fenced,
  step: number,
  attempts: StepAttempt[],
  error: RunErrorRow,
): Promise<void> {
  await closeStep(tx, held, 'give_up', step, { attempts, output: null, digest: null, error })
}

type Closing = {
  attempts: StepAttempt[]
  output: Record<string, unknown> | null
  digest: string | null
  error: RunErrorRow | null
}

async function closeStep(
  tx: Db,
  held: Fenced,
  event: 'checkpoint' | 'give_up',
  step: number,
  end: Closing,
): Promise<void> {
  const edge = stepMachine.events[event]
  await tx.query(sql`UPDATE run_step SET status = ${edge.to}, attempts = ${json(end.attempts)},
      output = ${end.output === null ? sql`NULL` : json(end.output)}, output_digest = ${end.digest},
      error = ${end.error === null ? sql`NULL` : json(end.error)}, finished_at = clock_timestamp()
    WHERE run_id = ${held.runId} AND step = ${step} AND fence = ${held.fence} AND status = ANY(${[...(edge.from ?? [])]}::text[])`)
}
