/** A node without an address fetches its work: the next task that it can take, under a lease of its own; held for a while when there is none. */
import sql from 'sql-template-tag'
import { type Caller, nodeOf } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Notifier } from '#server/ledger/notifier.ts'
import { hearWorker } from './hear-worker.ts'
import { type Granted, leaseTask } from './lease-task.ts'
import { NO_WORKER } from './manage-worker.ts'
import type { TaskRow } from './runtime-rows.ts'
import { QUEUED } from './runtime-rows.ts'
import { IS_FOR } from './seen-task.ts'

export type Fetched = { task: TaskRow; granted: Granted }

/** So many of those that it could take are tried before it waits. */
const TRIED = 20
/** How often a waiting node looks by itself: notifications only save time. */
const LOOK_MS = 2_000

type Parts = { db: Db; notifier: Pick<Notifier, 'on'> }
type Asked = { workerId: string; waitMs: number; signal?: AbortSignal | undefined }

/** Null when nothing came within the time. */
export async function fetchTask(
  parts: Parts,
  { workerId, waitMs, signal }: Asked,
  caller: Caller,
): Promise<Result<Fetched | null>> {
  const until = performance.now() + waitMs
  for (;;) {
    // Whoever has gone is not heard, and takes nothing.
    if (signal?.aborted) return ok(null)
    const { rows } = await parts.db.query(
      sql`SELECT 1 FROM worker_node w WHERE w.worker_id = ${workerId} AND w.removed_at IS NULL`,
    )
    if (rows.length === 0) return NO_WORKER
    await hearWorker(parts.db, workerId)
    const fetched = await takeNext(parts.db, workerId, caller)
    if (fetched) return ok(fetched)
    const left = until - performance.now()
    if (left <= 0) return ok(null)
    await nextNotification(parts.notifier, Math.min(left, LOOK_MS), signal)
  }
}

async function takeNext(db: Db, workerId: string, caller: Caller): Promise<Fetched | null> {
  const { rows } = await db.query<{
    task_id: string
  }>(sql`SELECT t.task_id FROM llm_task t JOIN worker_node w ON w.worker_id = ${workerId}
    WHERE t.status = ${QUEUED} AND t.not_before <= clock_timestamp() AND w.active_leases < w.max_concurrency AND ${IS_FOR}
    ORDER BY t.priority DESC, t.not_before, t.task_id LIMIT ${TRIED}`)
  for (const { task_id } of rows) {
    const granted = await leaseTask(db, { taskId: task_id, workerId, among: 'fetching' }, caller)
    if (!granted.ok && granted.refusal.code === 'NO_WORKER') return null
    if (!granted.ok) continue
    const found = await db.query<TaskRow>(sql`SELECT t.* FROM llm_task t WHERE t.task_id = ${task_id}`)
    return { task: found.rows[0] as TaskRow, granted: granted.value }
  }
  return null
}

function nextNotification(notifier: Pick<Notifier, 'on'>, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      off()
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const off = notifier.on('tasks', done)
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done)
  })
}

/** The id of the worker of this name. */
export async function workerIdOf(db: Db, name: string): Promise<string | null> {
  const { rows } = await db.query<{ worker_id: string }>(
    sql`SELECT worker_id FROM worker_node WHERE name = ${name} AND removed_at IS NULL`,
  )
  return rows[0]?.worker_id ?? null
}

const NOBODY_NAMED = refuse({ code: 'BAD_REQUEST', message: 'Say which worker asks: worker_id.' })

/** A node under its own key acts for the worker of its own name, one under the shared key has to name it; anybody else acts for the one that is named. */
export async function actingWorker(
  db: Db,
  caller: Caller,
  named: string | null | undefined,
): Promise<Result<string | null>> {
  if (caller.role !== 'node') return ok(named ?? null)
  const node = nodeOf(caller)
  if (node === null) return named ? ok(named) : NOBODY_NAMED
  const own = await workerIdOf(db, node)
  if (own === null || (named && named !== own))
    return refuse({ code: 'FORBIDDEN', message: 'This key belongs to another worker.' })
  return ok(own)
}
