/** One run with everything that belongs to it. The run itself is SQL: it shares the list's correlated counts. */
import sql from 'sql-template-tag'
import type { RunDetail } from '#contracts/run.contract.ts'
import { p95 } from '#domain/run/phases.rules.ts'
import type { RunEvent } from '#domain/run/run.machine.ts'
import { COMPLETED, isFinal } from '#domain/run/run.rules.ts'
import { RUN_LIMIT_SECONDS, RUN_RETRY_BUDGET } from '#domain/run/step.machine.ts'
import type { Reads } from '#server/ledger/prisma.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { type RunRow, readCalls, readSteps, type StepRow } from './run-row.ts'
import { spansOf } from './run-spans.ts'
import { type CountedRun, callView, isoOf, phaseViews, RUN_COLUMNS, runView, stepViews } from './run-view.ts'

const RESUME = 'resume' satisfies RunEvent

type Found = CountedRun & { agent_name: string; read_at: Date }

/** The run, or null. */
export async function getRun(
  { db, reads }: Pick<Services, 'db' | 'reads'>,
  runId: string,
): Promise<RunDetail | null> {
  const { rows } =
    await db.query<Found>(sql`SELECT ${RUN_COLUMNS}, g.name AS agent_name, clock_timestamp()::timestamptz(3) AS read_at
    FROM run r JOIN agent g ON g.slug = r.agent_slug WHERE r.run_id = ${runId}`)
  const run = rows[0]
  if (!run) return null
  const [steps, calls, related] = await Promise.all([
    readSteps(db, runId),
    readCalls(db, runId),
    readRelated(reads, run),
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

async function readRelated(reads: Reads, run: RunRow) {
  const [markers, proposals, jobs, artifacts, p95] = await Promise.all([
    readResumes(reads, run),
    readProposals(reads, run.run_id),
    readJobs(reads, run.run_id),
    readArtifacts(reads, run.run_id),
    typicalMs(reads, run.agent_slug),
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

async function readResumes(reads: Reads, run: RunRow): Promise<RunDetail['markers']> {
  if (run.resumes === 0) return []
  const resumes = await reads.event.findMany({
    select: { ts: true },
    where: { resource_type: 'run', resource_id: run.run_id, transition: RESUME, outcome: 'ok' },
    orderBy: { id: 'asc' },
  })
  return resumes.map(({ ts }) => ({ kind: RESUME, at_ms: ts.getTime() - run.requested_at.getTime() }))
}

async function readProposals(reads: Reads, run_id: string): Promise<RunDetail['proposals_created']> {
  const rows = await reads.proposal.findMany({
    select: {
      proposal_id: true,
      status: true,
      action: true,
      target_path: true,
      summary: true,
      created_at: true,
    },
    where: { run_id },
    orderBy: [{ created_at: 'asc' }, { proposal_id: 'asc' }],
  })
  return rows.map(({ target_path: target, created_at, status, ...row }) => ({
    ...row,
    target,
    status: status as Row<'proposal', 'status'>['status'],
    created_at: created_at.toISOString(),
  }))
}

async function readJobs(reads: Reads, run_id: string): Promise<RunDetail['job_list']> {
  const rows = await reads.job.findMany({
    select: {
      job_id: true,
      job_type: true,
      status: true,
      attempt: true,
      max_attempts: true,
      not_before: true,
      artifact_id: true,
      created_at: true,
      finished_at: true,
    },
    where: { run_id },
    orderBy: [{ created_at: 'asc' }, { job_id: 'asc' }],
  })
  return rows.map((row) => ({
    ...row,
    job_type: row.job_type as Row<'job', 'job_type'>['job_type'],
    status: row.status as Row<'job', 'status'>['status'],
    not_before: isoOf(row.not_before),
    created_at: row.created_at.toISOString(),
    finished_at: isoOf(row.finished_at),
  }))
}

async function readArtifacts(reads: Reads, run_id: string): Promise<RunDetail['artifact_list']> {
  const rows = await reads.artifact.findMany({
    select: { artifact_id: true, type: true, title: true, bytes: true, created_at: true },
    where: { run_id },
    orderBy: [{ created_at: 'asc' }, { artifact_id: 'asc' }],
  })
  return rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() }))
}

/** The 95th percentile of the agent's last 50 completed runs. */
async function typicalMs(reads: Reads, agent_slug: string): Promise<number | null> {
  const runs = await reads.run.findMany({
    select: { started_at: true, finished_at: true },
    where: { agent_slug, status: COMPLETED },
    orderBy: [{ requested_at: 'desc' }, { run_id: 'desc' }],
    take: 50,
  })
  return p95(
    runs.flatMap(({ started_at, finished_at }) =>
      started_at && finished_at ? [finished_at.getTime() - started_at.getTime()] : [],
    ),
  )
}
