/** One run with everything that belongs to it. SQL, not Prisma: it shares the list's correlated counts, and states stay typed. */
import sql from 'sql-template-tag'
import type { RunDetail } from '#contracts/run.contract.ts'
import { p95 } from '#domain/run/phases.rules.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import { COMPLETED, isFinal } from '#domain/run/run.rules.ts'
import { RUN_LIMIT_SECONDS, RUN_RETRY_BUDGET } from '#domain/run/step.machine.ts'
import type { Services } from '#server/composition/services.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import { type RunRow, readCalls, readSteps, type StepRow } from './run-row.ts'
import { spansOf } from './run-spans.ts'
import { type CountedRun, callView, isoOf, phaseViews, RUN_COLUMNS, runView, stepViews } from './run-view.ts'

type Found = CountedRun & { agent_name: string; read_at: Date }

/** The run, or null. */
export async function getRun({ db }: Pick<Services, 'db'>, runId: string): Promise<RunDetail | null> {
  const { rows } =
    await db.query<Found>(sql`SELECT ${RUN_COLUMNS}, g.name AS agent_name, clock_timestamp()::timestamptz(3) AS read_at
    FROM run r JOIN agent g ON g.slug = r.agent_slug WHERE r.run_id = ${runId}`)
  const run = rows[0]
  if (!run) return null
  const [steps, calls, related] = await Promise.all([
    readSteps(db, runId),
    readCalls(db, runId),
    readRelated(db, run),
  ])
  return {
    ...runView(run),
    ...ownFields(run),
    ...outputFields(steps),
    ...related,
    phases: phaseViews(run, steps),
    spans: spansOf(run, steps, calls),
    steps: stepViews(run, steps),
    calls: calls.map(callView),
    read_at: run.read_at.toISOString(),
  }
}

async function readRelated(db: Db, run: RunRow) {
  const [markers, proposals, jobs, artifacts, p95] = await Promise.all([
    readResumes(db, run),
    readProposals(db, run.run_id),
    readJobs(db, run.run_id),
    readArtifacts(db, run.run_id),
    usualMs(db, run.agent_slug),
  ])
  return { markers, proposals_created: proposals, job_list: jobs, artifact_list: artifacts, p95_ms: p95 }
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
  const outputOf = (n: number) => steps.find((s) => s.step === n)?.output ?? {}
  const [context, execution, results] = [outputOf(1), outputOf(2), outputOf(3)]
  const usage = (execution.usage ?? { input: 0, output: 0 }) as { input: number; output: number }
  return {
    engine: (execution.engine ?? null) as RunDetail['engine'],
    grounding: (execution.grounding ?? null) as RunDetail['grounding'],
    tokens: context.total_tokens === undefined ? null : { context: Number(context.total_tokens), ...usage },
    proposals_refused: (results.refused ?? []) as RunDetail['proposals_refused'],
  }
}

async function readResumes(db: Db, run: RunRow): Promise<RunDetail['markers']> {
  if (run.resumes === 0) return []
  const { rows } = await db.query<Row<'event', 'ts'>>(
    sql`SELECT ts FROM event WHERE resource_type = 'run' AND resource_id = ${run.run_id} AND transition = 'resume' AND outcome = 'ok' ORDER BY id`,
  )
  return rows.map((r) => ({ kind: 'resume' as const, at_ms: r.ts.getTime() - run.requested_at.getTime() }))
}

type ProposalRow = Row<
  'proposal',
  'proposal_id' | 'status' | 'action' | 'target_path' | 'summary' | 'created_at'
>

async function readProposals(db: Db, runId: string): Promise<RunDetail['proposals_created']> {
  const { rows } = await db.query<ProposalRow>(
    sql`SELECT proposal_id, status, action, target_path, summary, created_at FROM proposal WHERE run_id = ${runId} ORDER BY created_at, proposal_id`,
  )
  return rows.map(({ target_path: target, created_at, ...row }) => ({
    ...row,
    target,
    created_at: created_at.toISOString(),
  }))
}

type JobRow = Row<
  'job',
  | 'job_id'
  | 'job_type'
  | 'status'
  | 'attempt'
  | 'max_attempts'
  | 'not_before'
  | 'artifact_id'
  | 'created_at'
  | 'finished_at'
>

async function readJobs(db: Db, runId: string): Promise<RunDetail['job_list']> {
  const { rows } = await db.query<JobRow>(
    sql`SELECT job_id, job_type, status, attempt, max_attempts, not_before, artifact_id, created_at, finished_at FROM job WHERE run_id = ${runId} ORDER BY created_at, job_id`,
  )
  return rows.map((row) => ({
    ...row,
    not_before: isoOf(row.not_before),
    created_at: row.created_at.toISOString(),
    finished_at: isoOf(row.finished_at),
  }))
}

async function readArtifacts(db: Db, runId: string): Promise<RunDetail['artifact_list']> {
  const { rows } = await db.query<Row<'artifact', 'artifact_id' | 'type' | 'title' | 'bytes' | 'created_at'>>(
    sql`SELECT artifact_id, type, title, bytes, created_at FROM artifact WHERE run_id = ${runId} ORDER BY created_at, artifact_id`,
  )
  return rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() }))
}

async function usualMs(db: Db, slug: string): Promise<number | null> {
  const { rows } = await db.query<{ ms: number }>(
    sql`SELECT extract(epoch FROM finished_at - started_at)::float8 * 1000 AS ms FROM run
      WHERE agent_slug = ${slug} AND status = ${state(runMachine, COMPLETED)} ORDER BY requested_at DESC, run_id DESC LIMIT 50`,
  )
  const value = p95(rows.map((r) => r.ms))
  return value === null ? null : Math.round(value)
}
