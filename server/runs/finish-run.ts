/**
 * The three ends of a running run, complete [runs#R5], fail [runs#R6] and cancel [runs#R8]: each one transaction under the fence,
 * with what depends on it: the step's end, the manifest, the agent's failure count, the jobs of a cancelled run.
 */
import sql from 'sql-template-tag'
import type { RunError } from '#contracts/run.contract.ts'
import { ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import { FAILED } from '#domain/run/run.rules.ts'
import { FAILURES_BEFORE_ERROR, STEPS } from '#domain/run/step.machine.ts'
import { cancelJobsOfRun, type MovedJob } from '#server/jobs/operate-job.ts'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import type { Row } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import { transition } from '#server/ledger/transition.ts'
import { withdrawQuestions } from '#server/questions/withdraw-questions.ts'
import { redactText } from '#server/redaction/redact.ts'
import { RELEASE_LEASE } from './run-leases.ts'
import { manifestObject } from './run-objects.ts'
import { type Fenced, FenceLost } from './run-parts.ts'
import { type CallRow, isWait, readCalls, readRun, readSteps, type StepAttempt } from './run-row.ts'
import { giveUpStep } from './step-transitions.ts'

const REASON = 'The run was cancelled.'

/** The ledger's clock. */
export async function ledgerNow(db: Db): Promise<Date> {
  const { rows } = await db.query<{ now: Date }>(sql`SELECT clock_timestamp()::timestamptz(3) AS now`)
  if (!rows[0]) throw new Error('the ledger has no clock')
  return rows[0].now
}

/** Time the run waited for jobs and answers until now, by the journal; what never came was waited for as well. */
const waitedMs = (calls: readonly CallRow[], now: Date): number =>
  calls
    .filter(isWait)
    .reduce((ms, call) => ms + (call.finished_at ?? now).getTime() - call.started_at.getTime(), 0)

/** The manifest as of now, from the rows of the transaction. */
export async function makeManifest(tx: Db, runId: string, status: string, error: RunError | null) {
  const run = await readRun(tx, runId)
  if (!run) throw new FenceLost(runId)
  const steps = await readSteps(tx, runId)
  const calls = await readCalls(tx, runId)
  const finishedAt = await ledgerNow(tx)
  const waitMs = waitedMs(calls, finishedAt)
  return { manifest: manifestObject(run, steps, { status, finishedAt, waitMs, error }), finishedAt }
}

/** [runs#R5]: steps 01–04 and the manifest are stored; the run ends at the time that the manifest says. */
export async function completeRun(db: Db, lease: Fenced): Promise<void> {
  await db.transaction(async (tx) => {
    const moved = await transition(tx, {
      machine: 'run',
      event: 'complete',
      actor: ORCHESTRATION_LAYER,
      where: sql`o.run_id = ${lease.runId} AND o.fence = ${lease.fence} AND o.steps_completed = ${STEPS.length}`,
      set: sql`finished_at = (t.totals -> 'manifest' ->> 'finished_at')::timestamptz, ${RELEASE_LEASE}`,
      details: sql`jsonb_build_object('duration_ms', m.totals -> 'manifest' -> 'duration_ms')`,
      returning: ['agent_slug'],
    })
    if (!moved[0]) throw new FenceLost(lease.runId)
    await tx.query(
      sql`UPDATE agent SET failed_in_row = 0, updated_at = clock_timestamp() WHERE slug = ${moved[0].agent_slug} AND failed_in_row > 0`,
    )
  })
}

/** [runs#R6]: the error, the failed step with its last attempt if one was begun, the manifest; the third failure in a row breaks the agent. */
export async function failRun(db: Db, lease: Fenced, error: RunError, attempt?: StepAttempt): Promise<void> {
  await db.transaction(async (tx) => {
    if (error.step !== null) await giveUpStep(tx, lease, error.step, attempt ? [attempt] : [], error)
    await withdrawQuestions(tx, lease.runId, ORCHESTRATION_LAYER)
    const { manifest, finishedAt } = await makeManifest(tx, lease.runId, FAILED, error)
    const moved = await transition(tx, {
      machine: 'run',
      event: 'fail',
      actor: ORCHESTRATION_LAYER,
      errorCode: error.code,
      reason: error.message,
      where: sql`o.run_id = ${lease.runId} AND o.fence = ${lease.fence}`,
      set: sql`error = ${json(error)}, finished_at = ${finishedAt}, totals = t.totals || ${json({ manifest })}, ${RELEASE_LEASE}`,
      details: { step: error.step, code: error.code },
      returning: ['agent_slug'],
    })
    if (!moved[0]) throw new FenceLost(lease.runId)
    await countFailure(tx, moved[0].agent_slug, error)
  })
}

/** [runs#R8], at a safe point: step 03 has not begun. The jobs that ended with it; null when no cancel was requested in time. */
export async function cancelLeased(db: Db, lease: Fenced): Promise<MovedJob[] | null> {
  return db.transaction(async (tx) => {
    const moved = await transition(tx, {
      machine: 'run',
      event: 'cancel',
      actor: ORCHESTRATION_LAYER,
      where: sql`o.run_id = ${lease.runId} AND o.fence = ${lease.fence} AND o.cancel_requested IS NOT NULL AND o.current_step < 3`,
      set: sql`finished_at = clock_timestamp(), ${RELEASE_LEASE}`,
      details: sql`jsonb_build_object('reason', m.cancel_requested, 'cancelled_by', m.totals -> 'cancelled_by')`,
      returning: ['cancel_requested'],
    })
    if (!moved[0]) return null
    await withdrawQuestions(tx, lease.runId, ORCHESTRATION_LAYER)
    return cancelJobsOfRun(tx, lease.runId, moved[0].cancel_requested ?? REASON, ORCHESTRATION_LAYER)
  })
}

/** Failures that say nothing about the agent. */
const NOT_ITS_FAULT: readonly RunError['code'][] = ['AGENT_NOT_ACTIVE', 'QUESTION_EXPIRED']

/** Three failed runs in a row, or a definition that cannot be read, set the agent to `error` ([agents#A5]). */
async function countFailure(tx: Db, slug: string, error: RunError): Promise<void> {
  if (NOT_ITS_FAULT.includes(error.code)) return
  const { rows } = await tx.query<Row<'agent', 'failed_in_row'>>(
    sql`UPDATE agent SET failed_in_row = failed_in_row + 1, updated_at = clock_timestamp() WHERE slug = ${slug} RETURNING failed_in_row`,
  )
  const failed = rows[0]?.failed_in_row ?? 0
  const unreadable = error.code === 'DEFINITION_INVALID'
  if (!unreadable && failed < FAILURES_BEFORE_ERROR) return
  const { rows: last } = await tx.query<Row<'run', 'run_id'>>(
    sql`SELECT run_id FROM run WHERE agent_slug = ${slug} AND status = ${state(runMachine, FAILED)}
      ORDER BY finished_at DESC, run_id DESC LIMIT ${unreadable ? 1 : FAILURES_BEFORE_ERROR}`,
  )
  const cause = { code: error.code, message: redactText(error.message), run_ids: last.map((r) => r.run_id) }
  await transition(tx, {
    machine: 'agent',
    event: 'break',
    actor: ORCHESTRATION_LAYER,
    errorCode: error.code,
    reason: error.message,
    where: sql`o.slug = ${slug}`,
    set: sql`error = ${json(cause)}`,
    details: { run_ids: cause.run_ids },
  })
}
