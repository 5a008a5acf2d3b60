/** Lists and details of the runtime: newest first, by keyset, each along an index. */
import sql, { type Sql } from 'sql-template-tag'
import type { LeaseView, TaskDetail, TaskView } from '#contracts/llm-task.contract.ts'
import type { AttemptView } from '#contracts/task-report.contract.ts'
import type { WorkerDetail, WorkerView } from '#contracts/worker.contract.ts'
import type { TaskState } from '#domain/task/task.machine.ts'
import type { TaskLeaseState } from '#domain/task/task-lease.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import { keyset, whereAll } from '#server/ledger/list.ts'
import type { Row } from '#server/ledger/rows.ts'
import { explainWait } from './keep-waits.ts'
import { findWorker } from './register-worker.ts'
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

const HISTORY = 500

type AttemptRow = Pick<
  Row<'task_attempt'>,
  | 'lease_id'
  | 'number'
  | 'dispatched_at'
  | 'tail'
  | 'error_code'
  | 'error_message'
  | 'partial_output'
  | 'completed_at'
  | 'result'
> & {
  worker_id: string
  worker: string
  phase: string | null
  outcome: AttemptView['outcome']
  context_report: AttemptView['context_report'] | null
  metrics: Partial<Pick<AttemptView, 'duration_ms' | 'tokens_used' | 'model'>> | null
}

/** A task with all that is known of it. Of one that waits, the selection is how it would be made now. */
export async function getTask(db: Db, taskId: string): Promise<TaskDetail | null> {
  const { rows } = await db.query<TaskRow>(sql`SELECT t.* FROM llm_task t WHERE t.task_id = ${taskId}`)
  const task = rows[0]
  if (!task) return null
  const [leases, attempts, history, waiting] = await Promise.all([
    db.query<LeaseRow>(
      sql`SELECT ${LEASE_COLUMNS} FROM task_lease l WHERE l.task_id = ${taskId} ORDER BY l.fence DESC LIMIT ${HISTORY}`,
    ),
    db.query<AttemptRow>(
      sql`SELECT a.lease_id, l.worker_id, w.name AS worker, a.number, a.dispatched_at, a.progress->>'phase' AS phase, a.tail, a.context_report, a.outcome,
          a.error_code, a.error_message, a.partial_output, a.metrics, a.completed_at, a.result
        FROM task_attempt a JOIN task_lease l ON l.lease_id = a.lease_id JOIN worker_node w ON w.worker_id = l.worker_id
        WHERE a.task_id = ${taskId} ORDER BY l.fence DESC LIMIT ${HISTORY}`,
    ),
    db.query<Row<'event', 'ts' | 'name' | 'from_status' | 'to_status' | 'actor' | 'reason' | 'error_code'>>(
      sql`SELECT e.ts, e.name, e.from_status, e.to_status, e.actor, e.reason, e.error_code FROM event e
        WHERE e.resource_type = 'task' AND e.resource_id = ${taskId} ORDER BY e.id LIMIT ${HISTORY}`,
    ),
    explainWait(db, taskId),
  ])
  return {
    ...taskView(task),
    ...(waiting ? { selection: waiting } : {}),
    leases: leases.rows.map(leaseView),
    attempt_list: attempts.rows.map(attemptView),
    history: history.rows.map(({ ts, from_status, to_status, ...row }) => ({
      ...row,
      at: msOf(ts),
      from: from_status,
      to: to_status,
    })),
    result: attempts.rows[0]?.result ?? null,
  }
}

const attemptView = ({ metrics, result: _, ...row }: AttemptRow): AttemptView => ({
  ...row,
  context_report: row.context_report ?? [],
  dispatched_at: row.dispatched_at && msOf(row.dispatched_at),
  completed_at: row.completed_at && msOf(row.completed_at),
  duration_ms: metrics?.duration_ms ?? null,
  tokens_used: metrics?.tokens_used ?? null,
  model: metrics?.model ?? null,
})

const SELECTIONS = 20

export async function getWorker(db: Db, workerId: string): Promise<WorkerDetail | null> {
  const worker = await findWorker(db, workerId)
  if (!worker) return null
  const [leases, last_selections] = await Promise.all([
    listLeases(db, { worker_id: workerId, status: 'active', limit: 32 }),
    listLeases(db, { worker_id: workerId, limit: SELECTIONS }),
  ])
  return { ...worker, leases, last_selections }
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
