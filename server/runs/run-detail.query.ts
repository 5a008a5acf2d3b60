/** One run with all that belongs to it: phases, bars, steps, calls, proposals, jobs, artifacts (contract page 03, sections 9 and 10). */
import sql from 'sql-template-tag'
import { type RunDetail, type RunStepView, runError } from '#contracts/run.contract.ts'
import { p95, phasesOf } from '#domain/run/phases.rules.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import { RUN_LIMIT_SECONDS, RUN_RETRY_BUDGET, STEPS } from '#domain/run/step.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import { type CallRow, isFinal, type RunRow, readCalls, readSteps, type StepRow } from './run-row.ts'
import { spansOf } from './run-spans.ts'
import { type CountedRun, isoOf, RUN_COLUMNS, runView } from './run-view.ts'

type Found = CountedRun & { agent_name: string; read_at: Date }

/** The run, or null. */
export async function runDetail(db: Db, runId: string): Promise<RunDetail | null> {
  const { rows } =
    await db.query<Found>(sql`SELECT ${RUN_COLUMNS}, g.name AS agent_name, clock_timestamp()::timestamptz(3) AS read_at
    FROM run r JOIN agent g ON g.slug = r.agent_slug WHERE r.run_id = ${runId}`)
  const run = rows[0]
  if (!run) return null
  const [steps, calls] = [await readSteps(db, runId), await readCalls(db, runId)]
  return {
    ...runView(run),
    ...ownFields(run),
    ...outputFields(steps),
    phases: phaseViews(run, steps),
    spans: spansOf(run, steps, calls),
    markers: await resumesOf(db, run),
    steps: stepViews(run, steps),
    calls: calls.map(callView),
    proposals_created: await proposalsOf(db, runId),
    job_list: await jobsOf(db, runId),
    artifact_list: await artifactsOf(db, runId),
    p95_ms: await usualMs(db, run.agent_slug),
    read_at: run.read_at.toISOString(),
  }
}

function ownFields(run: Found) {
  const open = !isFinal(run.status)
  return {
    agent_name: run.agent_name,
    params: run.params,
    inbox_entry_id: run.inbox_entry_id,
    correlation_id: run.correlation_id,
    definition_sha256: run.definition_sha256,
    summary: run.summary,
    cancel_reason: run.cancel_requested,
    attempt: run.attempt,
    resumes: run.resumes,
    retries_used: run.retries_used,
    retry_budget: RUN_RETRY_BUDGET,
    fence: run.fence,
    lease_expires_at: isoOf(run.lease_expires_at),
    limit_seconds: RUN_LIMIT_SECONDS,
    cancellable: open && run.current_step < 3 && run.cancel_requested === null,
  }
}

function outputFields(steps: readonly StepRow[]) {
  const outputOf = (n: number) => (steps.find((s) => s.step === n)?.output ?? {}) as Record<string, unknown>
  const [context, execution, results] = [outputOf(1), outputOf(2), outputOf(3)]
  const usage = (execution.usage ?? { input: 0, output: 0 }) as { input: number; output: number }
  return {
    engine: (execution.engine ?? null) as RunDetail['engine'],
    grounding: (execution.grounding ?? null) as RunDetail['grounding'],
    tokens: context.total_tokens === undefined ? null : { context: Number(context.total_tokens), ...usage },
    proposals_refused: (results.refused ?? []) as RunDetail['proposals_refused'],
  }
}

function phaseViews(run: RunRow, steps: readonly StepRow[]): RunDetail['phases'] {
  const times = {
    status: run.status,
    requestedAt: run.requested_at,
    queuedAt: run.queued_at,
    startedAt: run.started_at,
    finishedAt: run.finished_at,
    waiting: run.waiting_on !== null,
  }
  const rows = steps.map((s) => ({
    step: s.step,
    status: s.status,
    startedAt: s.started_at,
    finishedAt: s.finished_at,
  }))
  return phasesOf(times, rows).map((p) => ({
    phase: p.phase,
    name: p.name,
    state: p.state,
    started_at: isoOf(p.startedAt),
    start_ms: p.startMs,
    ms: p.ms,
  }))
}

/** All four steps; those that were not begun are `pending`, or `skipped` when the run ended before them. */
export function stepViews(run: RunRow, steps: readonly StepRow[]): RunStepView[] {
  return STEPS.map(({ n, name, object }) => {
    const step = steps.find((s) => s.step === n)
    const error = runError.safeParse(step?.error)
    return {
      step: n,
      name,
      status: step?.status ?? (isFinal(run.status) ? 'skipped' : 'pending'),
      attempts: step?.attempts ?? [],
      started_at: isoOf(step?.started_at ?? null),
      finished_at: isoOf(step?.finished_at ?? null),
      duration_ms: step?.finished_at ? step.finished_at.getTime() - step.started_at.getTime() : null,
      input_digest: step?.input_digest ?? null,
      output_digest: step?.output_digest ?? null,
      output: step?.output ?? null,
      error: error.success ? error.data : null,
      object,
    }
  })
}

function callView(call: CallRow): RunDetail['calls'][number] {
  const { code, message } = (call.outcome ?? {}) as { code?: string; message?: string }
  return {
    index: call.call_index,
    tool: call.tool,
    input_digest: call.input_digest,
    job_id: call.job_id,
    ok: call.ok,
    error: call.ok === false ? { code: code ?? '', message: message ?? '' } : null,
    ms: call.finished_at ? call.finished_at.getTime() - call.started_at.getTime() : null,
    started_at: call.started_at.toISOString(),
    finished_at: isoOf(call.finished_at),
  }
}

async function resumesOf(db: Db, run: RunRow): Promise<RunDetail['markers']> {
  if (run.resumes === 0) return []
  const { rows } = await db.query<{ ts: Date }>(
    sql`SELECT ts FROM event WHERE resource_type = 'run' AND resource_id = ${run.run_id} AND transition = 'resume' AND outcome = 'ok' ORDER BY id`,
  )
  return rows.map((r) => ({ kind: 'resume' as const, at_ms: r.ts.getTime() - run.requested_at.getTime() }))
}

/** Rows with their dates as ISO text, for views whose fields are named as the columns. */
const withIso = <T>(row: object): T =>
  Object.fromEntries(
    Object.entries(row).map(([key, value]) => [key, value instanceof Date ? value.toISOString() : value]),
  ) as T

async function proposalsOf(db: Db, runId: string): Promise<RunDetail['proposals_created']> {
  const { rows } = await db.query(
    sql`SELECT proposal_id, status, action, target_path AS target, summary, created_at FROM proposal WHERE run_id = ${runId} ORDER BY created_at, proposal_id`,
  )
  return rows.map((r) => withIso<RunDetail['proposals_created'][number]>(r))
}

async function jobsOf(db: Db, runId: string): Promise<RunDetail['job_list']> {
  const { rows } = await db.query(
    sql`SELECT job_id, job_type, status, attempt, max_attempts, not_before, artifact_id, created_at, finished_at FROM job WHERE run_id = ${runId} ORDER BY created_at, job_id`,
  )
  return rows.map((r) => withIso<RunDetail['job_list'][number]>(r))
}

async function artifactsOf(db: Db, runId: string): Promise<RunDetail['artifact_list']> {
  const { rows } = await db.query(
    sql`SELECT artifact_id, type, title, bytes, created_at FROM artifact WHERE run_id = ${runId} ORDER BY created_at, artifact_id`,
  )
  return rows.map((r) => withIso<RunDetail['artifact_list'][number]>(r))
}

async function usualMs(db: Db, slug: string): Promise<number | null> {
  const { rows } = await db.query<{ ms: number }>(
    sql`SELECT extract(epoch FROM finished_at - started_at)::float8 * 1000 AS ms FROM run
      WHERE agent_slug = ${slug} AND status = ${runMachine.events.complete.to} ORDER BY requested_at DESC, run_id DESC LIMIT 50`,
  )
  const value = p95(rows.map((r) => r.ms))
  return value === null ? null : Math.round(value)
}
