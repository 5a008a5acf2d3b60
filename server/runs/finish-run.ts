/**
 * The three ends of a running run: R5, R6 and R8 of contract page 03, each one transaction under the fence, with what hangs on
 * it: the step's last word, the manifest, the agent's count of failures, the Jobs of a cancelled run.
 */
import sql from 'sql-template-tag'
import type { RunError } from '#contracts/run.contract.ts'
import { ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import { FAILURES_BEFORE_ERROR, STEPS } from '#domain/run/step.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import { move } from '#server/ledger/move.ts'
import { json } from '#server/ledger/tell.ts'
import { manifestObject } from './run-objects.ts'
import { FenceLost, type Held, type RunParts } from './run-parts.ts'
import { type RunRow, readCalls, readRun, readSteps, type StepAttempt } from './run-row.ts'
import { giveUpStep } from './step-rows.ts'

type Parts = Pick<RunParts, 'database' | 'doors'>
type Fenced = Pick<Held, 'runId' | 'fence'>
const LET_GO = sql`lease_holder = NULL, lease_expires_at = NULL, waiting_on = NULL, revision = t.revision + 1`

/** The ledger's clock. */
export async function ledgerNow(db: Db): Promise<Date> {
  const { rows } = await db.query<{ now: Date }>(sql`SELECT clock_timestamp()::timestamptz(3) AS now`)
  if (!rows[0]) throw new Error('the ledger has no clock')
  return rows[0].now
}

/** Time the run rested for Jobs, by the journal. */
export async function waitedMs(db: Db, runId: string): Promise<number> {
  const calls = await readCalls(db, runId)
  return calls
    .filter((c) => c.job_id !== null && c.finished_at !== null)
    .reduce((ms, c) => ms + (c.finished_at as Date).getTime() - c.started_at.getTime(), 0)
}

/** The manifest as of now, from the rows of the transaction. */
export async function makeManifest(tx: Db, runId: string, status: string, error: RunError | null) {
  const run = await readRun(tx, runId)
  if (!run) throw new FenceLost(runId)
  const [steps, finishedAt, waitMs] = [
    await readSteps(tx, runId),
    await ledgerNow(tx),
    await waitedMs(tx, runId),
  ]
  return { manifest: manifestObject(run, steps, { status, finishedAt, waitMs, error }), finishedAt }
}

/** R5: steps 01–04 and the manifest are stored; the run ends when the manifest says it did. */
export async function completeRun(parts: Parts, held: Fenced): Promise<void> {
  await parts.database.transaction(async (tx) => {
    const moved = await move<RunRow>(tx, {
      machine: 'run',
      event: 'complete',
      actor: ORCHESTRATION_LAYER,
      where: sql`o.run_id = ${held.runId} AND o.fence = ${held.fence} AND o.steps_completed = ${STEPS.length}`,
      set: sql`finished_at = (t.totals -> 'manifest' ->> 'finished_at')::timestamptz, ${LET_GO}`,
      details: sql`jsonb_build_object('duration_ms', m.totals -> 'manifest' -> 'duration_ms')`,
    })
    if (!moved[0]) throw new FenceLost(held.runId)
    await tx.query(
      sql`UPDATE agent SET failed_in_row = 0, updated_at = clock_timestamp() WHERE slug = ${moved[0].agent_slug} AND failed_in_row > 0`,
    )
  })
}

/** R6: the error, the failed step if one was begun, the manifest; the third failure in a row breaks the agent. */
export async function failRun(
  parts: Parts,
  held: Fenced,
  error: RunError,
  attempts: StepAttempt[] = [],
): Promise<void> {
  await parts.database.transaction(async (tx) => {
    if (error.step !== null) await giveUpStep(tx, held, error.step, attempts, error)
    const { manifest, finishedAt } = await makeManifest(tx, held.runId, runMachine.events.fail.to, error)
    const moved = await move<RunRow>(tx, {
      machine: 'run',
      event: 'fail',
      actor: ORCHESTRATION_LAYER,
      errorCode: error.code,
      reason: error.message,
      where: sql`o.run_id = ${held.runId} AND o.fence = ${held.fence}`,
      set: sql`error = ${json(error)}, finished_at = ${finishedAt}, totals = t.totals || ${json({ manifest })}, ${LET_GO}`,
      details: { step: error.step, code: error.code },
    })
    if (!moved[0]) throw new FenceLost(held.runId)
    await countFailure(tx, moved[0], error)
  })
}

/** R8, taken at a safe point: step 03 has not begun. Nothing is told when the run was faster. */
export async function cancelHeld(parts: Parts, held: Fenced): Promise<boolean> {
  return parts.database.transaction(async (tx) => {
    const moved = await move<RunRow>(tx, {
      machine: 'run',
      event: 'cancel',
      actor: ORCHESTRATION_LAYER,
      where: sql`o.run_id = ${held.runId} AND o.fence = ${held.fence} AND o.cancel_requested IS NOT NULL AND o.current_step < 3`,
      set: sql`finished_at = clock_timestamp(), ${LET_GO}`,
      details: sql`jsonb_build_object('reason', m.cancel_requested, 'cancelled_by', m.totals -> 'cancelled_by')`,
    })
    if (!moved[0]) return false
    await parts.doors.cancelJobs(
      tx,
      held.runId,
      moved[0].cancel_requested ?? 'the run was cancelled',
      ORCHESTRATION_LAYER,
    )
    return true
  })
}

/** Page 03, section 13: three failed runs in a row, or a definition that cannot be read, set the agent to `error`. */
async function countFailure(tx: Db, run: RunRow, error: RunError): Promise<void> {
  if (error.code === 'AGENT_NOT_ACTIVE') return
  const { rows } = await tx.query<{ failed_in_row: number }>(
    sql`UPDATE agent SET failed_in_row = failed_in_row + 1, updated_at = clock_timestamp() WHERE slug = ${run.agent_slug} RETURNING failed_in_row`,
  )
  const failed = rows[0]?.failed_in_row ?? 0
  const unreadable = error.code === 'DEFINITION_INVALID'
  if (!unreadable && failed < FAILURES_BEFORE_ERROR) return
  const { rows: last } = await tx.query<{ run_id: string }>(
    sql`SELECT run_id FROM run WHERE agent_slug = ${run.agent_slug} AND status = ${runMachine.events.fail.to}
      ORDER BY finished_at DESC, run_id DESC LIMIT ${unreadable ? 1 : FAILURES_BEFORE_ERROR}`,
  )
  const cause = { code: error.code, message: error.message, run_ids: last.map((r) => r.run_id) }
  await move(tx, {
    machine: 'agent',
    event: 'break',
    actor: ORCHESTRATION_LAYER,
    errorCode: error.code,
    reason: error.message,
    where: sql`o.slug = ${run.agent_slug}`,
    set: sql`error = ${json(cause)}`,
    details: { run_ids: cause.run_ids },
  })
}
