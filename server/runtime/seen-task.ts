/** A queued task as whoever would lease it sees it. What was seen is checked again by the statement that leases. */
import sql, { type Sql } from 'sql-template-tag'
import { type Result, refuse } from '#domain/kernel/result.ts'
import type { Wanted } from '#domain/task/selection.rules.ts'
import { taskMachine } from '#domain/task/task.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import { prepared } from '#server/ledger/prepared.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import { OFFLINE_AFTER_SECONDS } from './runtime-rows.ts'

const SEEN = [
  'task_id',
  'status',
  'fence',
  'context_id',
  'timeout_sec',
  'required_labels',
  'preferred_labels',
  'allow_fallback',
  'first_worker_id',
  'excluded_worker_id',
] as const
export type Seen = Row<'llm_task', (typeof SEEN)[number]> & { due: boolean }
const SEEN_COLUMNS: Sql = sql`${columns('llm_task', 't', SEEN)}, t.not_before <= clock_timestamp() AS due`

export const NO_TASK = refuse({ code: 'NOT_FOUND', message: 'Task not found' })

export const seenTask = async (db: Db, taskId: string): Promise<Seen | undefined> =>
  (await seenBy(db, sql`t.task_id = ${taskId}`))[0]

/** Those of these tasks that exist. */
export const seenTasks = (db: Db, taskIds: readonly string[]): Promise<Seen[]> =>
  seenBy(db, sql`t.task_id = ANY(${taskIds})`)

async function seenBy(db: Db, key: Sql): Promise<Seen[]> {
  const { rows } = await db.query<Seen>(prepared(sql`SELECT ${SEEN_COLUMNS} FROM llm_task t WHERE ${key}`))
  return rows
}

/** Why it cannot be leased now; null where it can. */
export function faultOf({ status, due }: Seen): Result<never> | null {
  if (status !== taskMachine.events.create.to)
    return refuse({ code: 'INVALID_TRANSITION', message: `The task is ${status}, so it cannot be leased.` })
  if (!due) return refuse({ code: 'INVALID_TRANSITION', message: 'The task may not begin yet.' })
  return null
}

export const wantedBy = (task: Seen, workerId?: string | null): Wanted => ({
  contextId: task.context_id,
  requiredLabels: task.required_labels,
  preferredLabels: task.preferred_labels,
  excluded: task.excluded_worker_id,
  only: workerId ?? (task.allow_fallback ? null : task.first_worker_id),
})

/** Another worker than `w` could take task `t`, now or later, whether it is called or fetches. */
const ANOTHER_COULD: Sql = sql`EXISTS (SELECT FROM worker_node o WHERE o.worker_id <> w.worker_id AND o.removed_at IS NULL AND o.offline_at IS NULL
  AND o.last_heartbeat_at > clock_timestamp() - make_interval(secs => ${OFFLINE_AFTER_SECONDS}) AND o.can_run AND o.drained_at IS NULL AND t.required_labels <@ o.labels)`

/** What task `t` itself asks of worker `w`, as the rules of selection have it: a statement that picks tasks by less is filled up by those that nobody may take. */
export const IS_FOR: Sql = sql`t.required_labels <@ w.labels AND CASE WHEN t.allow_fallback OR t.first_worker_id IS NULL
  THEN t.excluded_worker_id IS DISTINCT FROM w.worker_id OR NOT ${ANOTHER_COULD} ELSE t.first_worker_id = w.worker_id END`
