/** Rows of BLOOM Runtime as its statements read them, and what they look like on the wire: the one place where times become epoch milliseconds. */
import sql, { type Sql } from 'sql-template-tag'
import type { LeaseView, SelectionView, TaskPolicy, TaskView } from '#contracts/llm-task.contract.ts'
import type { TaskResult } from '#contracts/task-report.contract.ts'
import type { WorkerView } from '#contracts/worker.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import type { BreakerState } from '#domain/task/breaker.rules.ts'
import type { OutputFormat } from '#domain/task/completion.rules.ts'
import type { RetryPolicy, TaskErrorCode } from '#domain/task/failure.rules.ts'
import { LEASED_TASK_STATES, taskMachine } from '#domain/task/task.machine.ts'
import { taskLeaseMachine } from '#domain/task/task-lease.machine.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import { state, states } from '#server/ledger/states.ts'

declare module '#server/ledger/rows.ts' {
  interface Shapes {
    llm_task: {
      budget: TaskPolicy['budget']
      retry_policy: RetryPolicy
      desired_format: OutputFormat
      selection: SelectionView | null
      error_code: TaskErrorCode | null
    }
    task_lease: { selection: SelectionView | null }
    task_attempt: { result: TaskResult | null; error_code: TaskErrorCode | null }
    worker_breaker: { state: BreakerState }
  }
}

export const QUEUED: Sql = state(taskMachine, 'queued')
export const LEASED: Sql = state(taskMachine, 'leased')
export const FAILED: Sql = state(taskMachine, 'failed')
/** A worker has the task under a lease. */
export const IN_WORK: Sql = states(taskMachine, ...LEASED_TASK_STATES)
/** Ended, whatever else is said of it. */
export const OVER: Sql = states(taskMachine, 'completed', 'dead')
export const ACTIVE: Sql = state(taskLeaseMachine, 'active')
/** The run `r` is over: nobody uses what its tasks answer. */
export const RUN_OVER: Sql = sql`r.status IN ${states(runMachine, 'completed', 'failed', 'cancelled')}`

/** Who dispatches, reaps and retries. */
export const RUNTIME: Caller = { role: 'service', identity: 'runtime', via: 'system' }

/** Seconds without a word after which a worker counts as offline [runtime#workers]. */
export const OFFLINE_AFTER_SECONDS = 60

export const msOf = (time: Date): number => time.getTime()
const msOrNull = (time: Date | null): number | null => time?.getTime() ?? null

export type TaskRow = Row<'llm_task'>
export type LeaseRow = Omit<Row<'task_lease'>, 'token_hash'>
export type WorkerRow = Row<'worker_node'> & {
  online: boolean
  callable: boolean
  breaker: Row<'worker_breaker', 'state' | 'failures' | 'cooldown_seconds' | 'open_until'>
}

const LISTED_PROMPT = 500

/** @param listed an item of a list, which shows the beginning of the prompt */
export const taskView = (row: TaskRow, { listed = false } = {}): TaskView => ({
  id: row.task_id,
  context_id: row.context_id,
  agent_slug: row.agent_slug,
  prompt: listed ? row.prompt.slice(0, LISTED_PROMPT) : row.prompt,
  prompt_bytes: Buffer.byteLength(row.prompt),
  context_hints: row.context_hints,
  policy: {
    timeout_sec: row.timeout_sec,
    budget: row.budget,
    retry: row.retry_policy,
    required_labels: row.required_labels,
    preferred_labels: row.preferred_labels,
    allow_fallback: row.allow_fallback,
  },
  desired_format: row.desired_format,
  max_attempts: row.max_attempts,
  priority: row.priority,
  idempotency_key: row.idempotency_key,
  structured_input: row.structured_input ?? null,
  attachments: row.attachments,
  tracing: row.tracing ?? null,
  status: row.status,
  attempts: row.attempts,
  fence: row.fence,
  lease_id: row.lease_id,
  worker_id: row.worker_id,
  not_before: msOf(row.not_before),
  retry_at: msOrNull(row.retry_at),
  error_code: row.error_code,
  last_error: row.last_error,
  wait_reason: row.wait_reason,
  selection: row.selection,
  artifact_id: row.artifact_id,
  run_id: row.run_id,
  tenant: row.tenant,
  payload_digest: row.payload_digest,
  created_at: msOf(row.created_at),
  updated_at: msOf(row.updated_at),
  ended_at: msOrNull(row.ended_at),
})

export const LEASE_COLUMNS: Sql = columns('task_lease', 'l', [
  'lease_id',
  'status',
  'task_id',
  'worker_id',
  'context_id',
  'fence',
  'ttl_seconds',
  'timeout_sec',
  'selection',
  'started_at',
  'last_heartbeat_at',
  'expires_at',
  'ended_at',
  'updated_at',
])

export const leaseView = (row: LeaseRow): LeaseView => ({
  id: row.lease_id,
  task_id: row.task_id,
  worker_id: row.worker_id,
  context_id: row.context_id,
  status: row.status,
  fence: row.fence,
  ttl_seconds: row.ttl_seconds,
  started_at: msOf(row.started_at),
  last_heartbeat: msOrNull(row.last_heartbeat_at),
  expires_at: msOf(row.expires_at),
  ended_at: msOrNull(row.ended_at),
  selection: row.selection,
})

/** Whether the worker `w` was heard lately enough at this moment. */
export const onlineAt = (moment: Sql): Sql =>
  sql`coalesce(w.last_heartbeat_at > ${moment} - make_interval(secs => ${OFFLINE_AFTER_SECONDS}), false) AND w.offline_at IS NULL`
/** The same by the database clock. */
export const ONLINE: Sql = onlineAt(sql`clock_timestamp()`)

/** Where the worker `w` is called; null without an address, and where nobody said it on whose word a key goes there [runtime#workers]. */
export const CALLED_AT: Sql = sql`CASE WHEN w.corrected_url IS NULL THEN CASE WHEN w.url_by IS NOT NULL THEN w.url END
  WHEN w.corrected_by IS NOT NULL THEN w.corrected_url END`

/** Workers as `workerView` reads them: over `worker_node w`. */
export const WORKER_SELECT: Sql = sql`SELECT w.*, (${ONLINE}) AS online, (${CALLED_AT}) IS NOT NULL AS callable, jsonb_build_object('state', coalesce(b.state, 'closed'), 'failures', coalesce(b.failures, 0),
    'cooldown_seconds', coalesce(b.cooldown_seconds, 60)) AS breaker, b.open_until AS breaker_until
  FROM worker_node w LEFT JOIN worker_breaker b ON b.worker_id = w.worker_id`

export const workerView = (row: WorkerRow & { breaker_until: Date | null }): WorkerView => ({
  id: row.worker_id,
  name: row.name,
  url: row.corrected_url ?? row.url,
  registered_url: row.url,
  callable: row.callable,
  status: row.online ? 'online' : 'offline',
  capabilities: {
    claude_cli: row.can_run,
    max_concurrency: row.max_concurrency,
    labels: row.labels,
    features: row.features,
  },
  active_leases: row.active_leases,
  ip_addrs: row.ip_addrs,
  agent_version: row.agent_version,
  os_info: row.os_info,
  install_method: row.install_method,
  last_heartbeat: msOrNull(row.last_heartbeat_at),
  offline_at: msOrNull(row.offline_at),
  drained_at: msOrNull(row.drained_at),
  drain_reason: row.drain_reason,
  rate_limited_until: msOrNull(row.rate_limited_until),
  breaker: { ...row.breaker, open_until: msOrNull(row.breaker_until) },
  registered_at: msOrNull(row.registered_at),
  created_at: msOf(row.created_at),
  updated_at: msOf(row.updated_at),
})
