import type { JobRow } from '#contracts/job.contract.ts'
import { agentMachine } from '#domain/agent/agent.machine.ts'
import { ACTIVE_JOB_STATES, jobMachine } from '#domain/job/job.machine.ts'
import type { Reads } from '#server/ledger/prisma.ts'
import { type Row, selected } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { type AttemptTimes, attemptTimesOf } from './attempt-times.query.ts'
import { callbackUrl, type GatewayEnv } from './nlm-client.ts'

/** What `jobView` reads of a job. */
export const VIEWED = [
  'job_id',
  'job_type',
  'status',
  'agent_slug',
  'run_id',
  'inbox_entry_id',
  'requested_by',
  'priority',
  'tenant',
  'title',
  'attempt',
  'max_attempts',
  'requeue_count',
  'not_before',
  'failure_kind',
  'error',
  'artifact_id',
  'created_at',
  'updated_at',
  'finished_at',
  'replay_of',
] as const

const WAITING = jobMachine.events.submit.to
const QUEUED = jobMachine.events.admit.to
const BACKING_OFF = jobMachine.events.nlm_busy.to
const AGENT_ACTIVE = agentMachine.events.activate.to

/** The same for Prisma Client. */
export const VIEW_SELECT = selected(VIEWED)

export type ViewRow = Row<'job', (typeof VIEWED)[number]>

/** Why jobs wait: the job that holds an agent's lane, and agents that are not active. */
type Waits = { holders: ReadonlyMap<string, string>; inactive: ReadonlySet<string> }

/** What a view says of a job beside its row, read with it, so that a queue that stands still costs no writes. */
export type ViewFacts = Waits & { times: ReadonlyMap<string, AttemptTimes> }

/** Of these jobs; at most three statements. */
export async function viewFactsOf(
  { db, reads }: Pick<Services, 'db' | 'reads'>,
  rows: readonly ViewRow[],
): Promise<ViewFacts> {
  const begun = rows.filter((row) => row.status !== WAITING && row.status !== QUEUED)
  const [waits, times] = await Promise.all([
    waitsOf(reads, rows),
    attemptTimesOf(
      db,
      begun.map((row) => row.job_id),
    ),
  ])
  return { ...waits, times }
}

async function waitsOf(reads: Reads, rows: readonly ViewRow[]): Promise<Waits> {
  const agentsOf = (status: ViewRow['status']) => [
    ...new Set(rows.filter((row) => row.status === status).map((row) => row.agent_slug)),
  ]
  const [queued, waiting] = [agentsOf(QUEUED), agentsOf(WAITING)]
  const [holders, inactive] = await Promise.all([
    queued.length === 0
      ? []
      : reads.job.findMany({
          select: { agent_slug: true, job_id: true },
          where: { agent_slug: { in: queued }, status: { in: [...ACTIVE_JOB_STATES] } },
        }),
    queued.length + waiting.length === 0
      ? []
      : reads.agent.findMany({
          select: { slug: true },
          where: { slug: { in: [...queued, ...waiting] }, status: { not: AGENT_ACTIVE } },
        }),
  ])
  return {
    holders: new Map(holders.map((job) => [job.agent_slug, job.job_id])),
    inactive: new Set(inactive.map((agent) => agent.slug)),
  }
}

const iso = (at: Date | null): string | null => at?.toISOString() ?? null

export function jobView(row: ViewRow, facts: ViewFacts, env: GatewayEnv): JobRow {
  const attempt = facts.times.get(row.job_id)
  return {
    job_id: row.job_id,
    job_type: row.job_type,
    status: row.status,
    agent_slug: row.agent_slug,
    run_id: row.run_id,
    inbox_entry_id: row.inbox_entry_id,
    requested_by: row.requested_by,
    priority: row.priority,
    tenant: row.tenant,
    callback: callbackUrl(env, row.job_id),
    replay_of: row.replay_of,
    depends_on: [],
    title: row.title,
    attempt: row.attempt,
    max_attempts: row.max_attempts,
    requeue_count: row.requeue_count,
    not_before: iso(row.not_before),
    ...waitOf(row, facts),
    failure_kind: row.failure_kind,
    error: row.error,
    artifact_id: row.artifact_id,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    finished_at: iso(row.finished_at),
    attempt_started_at: iso(attempt?.started_at ?? null),
    attempt_ended_at: iso(attempt?.ended_at ?? null),
  }
}

function waitOf(row: ViewRow, waits: Waits): Pick<JobRow, 'wait_reason' | 'wait_blocker'> {
  const holder = row.status === QUEUED && waits.holders.get(row.agent_slug)
  if (holder) return { wait_reason: 'agent_busy', wait_blocker: holder }
  if (row.status === BACKING_OFF) return { wait_reason: 'backoff', wait_blocker: null }
  return (row.status === WAITING || row.status === QUEUED) && waits.inactive.has(row.agent_slug)
    ? { wait_reason: 'agent_inactive', wait_blocker: row.agent_slug }
    : { wait_reason: null, wait_blocker: null }
}
