/** Lists and details of the runtime: newest first, by keyset, each along an index. */
import sql, { type Sql } from 'sql-template-tag'
import type { LeaseView, TaskView, WorkerView } from '#contracts/llm-task.contract.ts'
import type { TaskState } from '#domain/task/task.machine.ts'
import type { TaskLeaseState } from '#domain/task/task-lease.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import { keyset, whereAll } from '#server/ledger/list.ts'
import {
  ACTIVE,
  LEASE_COLUMNS,
  type LeaseRow,
  leaseView,
  msOf,
  QUEUED,
  type TaskRow,
  taskView,
  WORKER_SELECT,
  type WorkerRow,
  workerView,
} from './runtime-rows.ts'

export type TaskFilter = {
  status?: TaskState | undefined
  agent?: string | undefined
  context_id?: string | undefined
  worker_id?: string | undefined
  run_id?: string | undefined
  cursor?: string | undefined
  limit: number
}

const newestTasks = keyset('llm_task', 'tasks', { created_at: 'time', task_id: 'uuid' }, 'desc')

export async function listTasks(
  db: Db,
  filter: TaskFilter,
): Promise<{ items: TaskView[]; next_cursor: string | null }> {
  const { status, agent, context_id, worker_id, run_id } = filter
  const { rows } = await db.query<TaskRow>(
    sql`SELECT t.* FROM llm_task t ${whereAll(
      status && sql`t.status = ${status}`,
      agent !== undefined && sql`t.agent_slug = ${agent}`,
      context_id !== undefined && sql`t.context_id = ${context_id}`,
      worker_id !== undefined && sql`t.worker_id = ${worker_id}`,
      run_id !== undefined && sql`t.run_id = ${run_id}`,
      newestTasks.after('t', filter.cursor),
    )} ORDER BY ${newestTasks.order('t')} LIMIT ${filter.limit + 1}`,
  )
  const page = newestTasks.page(rows, filter.limit)
  return { items: page.rows.map((row) => taskView(row, { listed: true })), next_cursor: page.next_cursor }
}

export type AttemptView = {
  lease_id: string
  worker_id: string
  worker: string
  number: number
  dispatched_at: number | null
  progress: unknown
  tail: string | null
  context_report: unknown
  outcome: string | null
  error_code: string | null
  error_message: string | null
  partial_output: string | null
  metrics: unknown
  completed_at: number | null
}
export type TaskDetail = TaskView & {
  attempts_list: AttemptView[]
  leases: LeaseView[]
  history: {
    at: number
    name: string
    from: string | null
    to: string | null
    actor: string
    reason: string | null
    error_code: string | null
    details: unknown
  }[]
  result: unknown
}

const HISTORY = 500

export async function getTask(db: Db, taskId: string): Promise<TaskDetail | null> {
  const { rows } = await db.query<TaskRow>(sql`SELECT t.* FROM llm_task t WHERE t.task_id = ${taskId}`)
  const task = rows[0]
  if (!task) return null
  const [leases, attempts, history] = await Promise.all([
    db.query<LeaseRow>(
      sql`SELECT ${LEASE_COLUMNS} FROM task_lease l WHERE l.task_id = ${taskId} ORDER BY l.fence DESC LIMIT ${HISTORY}`,
    ),
    db.query<
      Omit<AttemptView, 'dispatched_at' | 'completed_at'> & {
        dispatched_at: Date | null
        completed_at: Date | null
        result: unknown
      }
    >(
      sql`SELECT a.lease_id, l.worker_id, w.name AS worker, a.number, a.dispatched_at, a.progress, a.tail, a.context_report, a.outcome, a.error_code,
          a.error_message, a.partial_output, a.metrics, a.completed_at, a.result
        FROM task_attempt a JOIN task_lease l ON l.lease_id = a.lease_id JOIN worker_node w ON w.worker_id = l.worker_id
        WHERE a.task_id = ${taskId} ORDER BY l.fence DESC LIMIT ${HISTORY}`,
    ),
    db.query<{
      at: Date
      name: string
      from_status: string | null
      to_status: string | null
      actor: string
      reason: string | null
      error_code: string | null
      details: unknown
    }>(
      sql`SELECT e.ts AS at, e.name, e.from_status, e.to_status, e.actor, e.reason, e.error_code, e.details FROM event e
        WHERE e.resource_type = 'task' AND e.resource_id = ${taskId} ORDER BY e.id LIMIT ${HISTORY}`,
    ),
  ])
  return {
    ...taskView(task),
    leases: leases.rows.map(leaseView),
    attempts_list: attempts.rows.map(({ result: _, ...row }) => ({
      ...row,
      dispatched_at: row.dispatched_at && msOf(row.dispatched_at),
      completed_at: row.completed_at && msOf(row.completed_at),
    })),
    history: history.rows.map(({ at, from_status, to_status, ...row }) => ({
      ...row,
      at: msOf(at),
      from: from_status,
      to: to_status,
    })),
    result: attempts.rows[0]?.result ?? null,
  }
}

export async function listLeases(
  db: Db,
  { status, worker_id, limit }: { status?: TaskLeaseState | undefined; worker_id?: string; limit: number },
): Promise<LeaseView[]> {
  const { rows } = await db.query<LeaseRow>(
    sql`SELECT ${LEASE_COLUMNS} FROM task_lease l ${whereAll(
      status && sql`l.status = ${status}`,
      worker_id !== undefined && sql`l.worker_id = ${worker_id}`,
    )} ORDER BY l.started_at DESC, l.lease_id DESC LIMIT ${limit}`,
  )
  return rows.map(leaseView)
}

export async function listWorkers(db: Db): Promise<WorkerView[]> {
  return workersWhere(db, sql`w.removed_at IS NULL`)
}

async function workersWhere(db: Db, where: Sql): Promise<WorkerView[]> {
  const { rows } = await db.query<WorkerRow & { breaker_until: Date | null }>(
    sql`${WORKER_SELECT} WHERE ${where} ORDER BY w.name LIMIT 1000`,
  )
  return rows.map(workerView)
}

export async function listResults(
  db: Db,
  { task_id, limit }: { task_id?: string | undefined; limit: number },
): Promise<unknown[]> {
  const { rows } =
    await db.query(sql`SELECT f.artifact_id AS id, f.task_id, f.run_id, f.agent_slug, f.type, f.title, f.content_sha256, f.bytes, f.tags,
      floor(extract(epoch FROM f.created_at) * 1000)::bigint AS created_at
    FROM artifact f WHERE f.task_id ${task_id === undefined ? sql`IS NOT NULL` : sql`= ${task_id}`}
    ORDER BY f.created_at DESC, f.artifact_id DESC LIMIT ${limit}`)
  return rows
}

/** What the runtime has recorded, under the names of this wire. */
export async function listRecords(db: Db, limit: number): Promise<unknown[]> {
  const { rows } = await db.query<{
    id: number
    at: Date
    name: string
    resource_type: string
    resource_id: string
    actor: string
    details: unknown
  }>(
    sql`SELECT e.id, e.ts AS at, e.name, e.resource_type, e.resource_id, e.actor, e.details FROM event e
      WHERE e.resource_type IN ('task', 'lease', 'worker') ORDER BY e.id DESC LIMIT ${limit}`,
  )
  return rows.map((row) => ({
    id: row.id,
    timestamp: msOf(row.at),
    action: row.name.replaceAll('.', '_'),
    entity_type: row.resource_type,
    entity_id: row.resource_id,
    actor: row.actor,
    detail: row.details,
  }))
}

export type RuntimeStats = {
  tasks: { total: number; by_status: Record<string, number> }
  leases: { total: number; active: number }
  workers: { total: number; online: number }
  breakers_open: number
  oldest_queued_ms: number | null
  /** False where counting stopped: then the numbers are lower bounds. */
  exact: boolean
}

const COUNTED = 10_000

/** One snapshot; exact up to 10 000 rows of a state. */
export async function runtimeStats(db: Db, states: readonly TaskState[]): Promise<RuntimeStats> {
  const { rows } = await db.query<{
    by_status: Record<string, number>
    leases: number
    active: number
    workers: number
    online: number
    open: number
    oldest: Date | null
  }>(
    sql`SELECT (SELECT jsonb_object_agg(s.status, (SELECT count(*) FROM (SELECT 1 FROM llm_task t WHERE t.status = s.status LIMIT ${COUNTED}) c))
        FROM unnest(${[...states]}::text[]) AS s(status)) AS by_status,
      (SELECT count(*) FROM (SELECT 1 FROM task_lease LIMIT ${COUNTED}) c) AS leases,
      (SELECT count(*) FROM (SELECT 1 FROM task_lease WHERE status = ${ACTIVE} LIMIT ${COUNTED}) c) AS active,
      (SELECT count(*) FROM worker_node w WHERE w.removed_at IS NULL) AS workers,
      (SELECT count(*) FROM worker_node w WHERE w.removed_at IS NULL AND w.offline_at IS NULL AND w.last_heartbeat_at > clock_timestamp() - interval '60 seconds') AS online,
      (SELECT count(*) FROM worker_breaker b WHERE b.state = 'open') AS open,
      (SELECT min(t.not_before) FROM llm_task t WHERE t.status = ${QUEUED}) AS oldest`,
  )
  const [row] = rows as [(typeof rows)[number]]
  const counts = Object.values(row.by_status)
  return {
    tasks: { total: counts.reduce((sum, n) => sum + n, 0), by_status: row.by_status },
    leases: { total: row.leases, active: row.active },
    workers: { total: row.workers, online: row.online },
    breakers_open: row.open,
    oldest_queued_ms: row.oldest && msOf(row.oldest),
    exact: [...counts, row.leases].every((n) => n < COUNTED),
  }
}
