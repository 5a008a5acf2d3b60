import type { RunDetail } from '#contracts/run.contract.ts'
import { p95 } from '#domain/run/phases.rules.ts'
import { rerunnableFrom } from '#domain/run/rerun.rules.ts'
import type { RunEvent } from '#domain/run/run.machine.ts'
import { COMPLETED, isFinal } from '#domain/run/run.rules.ts'
import { RUN_LIMIT_SECONDS, RUN_RETRY_BUDGET, stepMachine } from '#domain/run/step.machine.ts'
import { ledgerNow } from '#server/ledger/clock.ts'
import type { Reads } from '#server/ledger/prisma.ts'
import { rowOf, rowsOf, selected } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { proposalIds } from './run-objects.ts'
import { readJournal, readReplays } from './run-replays.query.ts'
import type { RunRow, StepRow } from './run-row.ts'
import { spansOf } from './run-spans.ts'
import { callView, isoOf, phaseViews, runView, stepViews } from './run-view.ts'

const RESUME = 'resume' satisfies RunEvent

/** The run with everything that belongs to it, or null. */
export async function getRun(
  { db, reads }: Pick<Services, 'db' | 'reads'>,
  runId: string,
): Promise<RunDetail | null> {
  const read_at = await ledgerNow(db)
  const found = await reads.run.findUnique({
    where: { run_id: runId },
    include: {
      agent: { select: { name: true } },
      steps: { orderBy: { step: 'asc' } },
    },
  })
  if (!found) return null
  const { agent, steps: stepRows, ...runRow } = found
  const run = rowOf('run', runRow)
  const steps = rowsOf('run_step', stepRows)
  const calls = await readJournal(reads, run, steps)
  const related = await readRelated(reads, run, steps)
  return {
    ...runView(run, {
      proposals: related.proposals_created.length,
      jobs: related.job_list.length,
      artifacts: related.artifact_list.length,
    }),
    ...ownFields(run),
    rerunnable_from: rerunnableFrom({ status: run.status, completed: completedOf(steps) }),
    agent_name: agent.name,
    ...outputFields(steps),
    ...related,
    phases: phaseViews(run, steps),
    spans: spansOf(run, steps, calls),
    steps: stepViews(run, steps),
    calls: calls.map(callView),
    read_at: read_at.toISOString(),
  }
}

const completedOf = (steps: readonly StepRow[]) =>
  steps.filter((s) => s.status === stepMachine.events.checkpoint.to).map((s) => s.step)

async function readRelated(reads: Reads, run: RunRow, steps: readonly StepRow[]) {
  const [markers, proposals, jobs, artifacts, p95, replays] = await Promise.all([
    readResumes(reads, run),
    readProposals(reads, run.run_id, proposalIds(steps)),
    readJobs(reads, run.run_id),
    readArtifacts(reads, run.run_id),
    typicalMs(reads, run.agent_slug),
    readReplays(reads, run),
  ])
  return {
    markers,
    proposals_created: proposals,
    job_list: jobs,
    artifact_list: artifacts,
    p95_ms: p95,
    ...replays,
  }
}

function ownFields(run: RunRow) {
  const open = !isFinal(run.status)
  return {
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

async function readProposals(
  reads: Reads,
  run_id: string,
  used: string[],
): Promise<RunDetail['proposals_created']> {
  const rows = await reads.proposal.findMany({
    select: selected(['proposal_id', 'run_id', 'status', 'action', 'target_path', 'summary', 'created_at']),
    where: { OR: [{ run_id }, { proposal_id: { in: used } }] },
    orderBy: [{ created_at: 'asc' }, { proposal_id: 'asc' }],
  })
  return rowsOf('proposal', rows).map(({ target_path: target, created_at, run_id: maker, ...row }) => ({
    ...row,
    reused: maker !== run_id,
    target,
    created_at: created_at.toISOString(),
  }))
}

const JOB_NAMES = [
  'job_id',
  'job_type',
  'status',
  'attempt',
  'max_attempts',
  'not_before',
  'artifact_id',
  'created_at',
  'finished_at',
] as const

async function readJobs(reads: Reads, run_id: string): Promise<RunDetail['job_list']> {
  const rows = await reads.job.findMany({
    select: selected(JOB_NAMES),
    where: { run_id },
    orderBy: [{ created_at: 'asc' }, { job_id: 'asc' }],
  })
  return rowsOf('job', rows).map((row) => ({
    ...row,
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

/** The 95th percentile of the agent's last 50 completed runs, without the time that they waited for a person. */
async function typicalMs(reads: Reads, agent_slug: string): Promise<number | null> {
  const runs = await reads.run.findMany({
    select: { started_at: true, finished_at: true, parked_ms: true },
    // A replay that took over steps says nothing of how long a run takes.
    where: { agent_slug, status: COMPLETED, OR: [{ from_step: null }, { from_step: 1 }] },
    orderBy: [{ requested_at: 'desc' }, { run_id: 'desc' }],
    take: 50,
  })
  return p95(
    runs.flatMap(({ started_at, finished_at, parked_ms }) =>
      started_at && finished_at ? [finished_at.getTime() - started_at.getTime() - Number(parked_ms)] : [],
    ),
  )
}
