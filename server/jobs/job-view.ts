import sql, { type Sql } from 'sql-template-tag'
import type { JobRow } from '#contracts/job.contract.ts'
import { agentMachine } from '#domain/agent/agent.machine.ts'
import { jobMachine } from '#domain/job/job.machine.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import { ACTIVE } from './job-row.ts'

const VIEWED = [
  'job_id',
  'job_type',
  'status',
  'agent_slug',
  'run_id',
  'inbox_entry_id',
  'requested_by',
  'priority',
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
] as const

const WAITING = jobMachine.events.submit.to
const QUEUED = jobMachine.events.admit.to
const BACKING_OFF = jobMachine.events.nlm_busy.to
const AGENT_ACTIVE = agentMachine.events.activate.to

/**
 * The columns of a job `j` as `jobView` expects them, and the ledger's clock. Why a job waits is computed when it is read (the active job of
 * its agent, the agent's state), so a queue that stands still costs no writes.
 */
export const VIEW_COLUMNS: Sql = sql`${columns('job', 'j', VIEWED)},
  CASE WHEN j.status = ${state(jobMachine, QUEUED)} THEN (SELECT x.job_id::text FROM job x WHERE x.agent_slug = j.agent_slug AND x.status IN ${ACTIVE}) END AS lane_holder,
  CASE WHEN j.status = ${state(jobMachine, WAITING)} THEN (SELECT a.status FROM agent a WHERE a.slug = j.agent_slug) END AS agent_status,
  clock_timestamp() AS now`

export type ViewRow = Row<'job', (typeof VIEWED)[number]> & {
  lane_holder: string | null
  agent_status: Row<'agent', 'status'>['status'] | null
  now: Date
}

const iso = (at: Date | null): string | null => at?.toISOString() ?? null

export function jobView(row: ViewRow): JobRow {
  return {
    job_id: row.job_id,
    job_type: row.job_type,
    status: row.status,
    agent_slug: row.agent_slug,
    run_id: row.run_id,
    inbox_entry_id: row.inbox_entry_id,
    requested_by: row.requested_by,
    priority: row.priority,
    title: row.title,
    attempt: row.attempt,
    max_attempts: row.max_attempts,
    requeue_count: row.requeue_count,
    not_before: iso(row.not_before),
    ...waitOf(row),
    failure_kind: row.failure_kind,
    error: row.error,
    artifact_id: row.artifact_id,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    finished_at: iso(row.finished_at),
  }
}

function waitOf(row: ViewRow): Pick<JobRow, 'wait_reason' | 'wait_blocker'> {
  if (row.lane_holder) return { wait_reason: 'agent_busy', wait_blocker: row.lane_holder }
  if (row.status === BACKING_OFF) return { wait_reason: 'backoff', wait_blocker: null }
  const paused = row.status === WAITING && row.agent_status !== null && row.agent_status !== AGENT_ACTIVE
  return paused
    ? { wait_reason: 'agent_inactive', wait_blocker: row.agent_slug }
    : { wait_reason: null, wait_blocker: null }
}
