import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '#server/ledger/database.ts'
import { prepared } from '#server/ledger/prepared.ts'
import type { CallTable } from './call-table.ts'
import { lookAtWorkers, withTask } from './choose-worker.ts'
import { keepWaits } from './keep-waits.ts'
import { leaseTask } from './lease-task.ts'
import { CALLED_AT, ONLINE, QUEUED, RUNTIME } from './runtime-rows.ts'
import { IS_FOR } from './seen-task.ts'

/** So many tasks are taken in a tick, the most urgent first. */
const BATCH = 50

/** A worker `w`, with its breaker `b`, that can be called, has room, and is not at rest. */
const READY: Sql = sql`w.removed_at IS NULL AND w.can_run AND w.drained_at IS NULL AND w.active_leases < w.max_concurrency
  AND (${CALLED_AT}) IS NOT NULL AND ${ONLINE} AND coalesce(w.rate_limited_until <= clock_timestamp(), true)
  AND (coalesce(b.state, 'closed') = 'closed' OR (coalesce(b.open_until <= clock_timestamp(), true) AND w.active_leases = 0))`
const DUE: Sql = sql`t.status = ${QUEUED} AND t.not_before <= clock_timestamp()`

/**
 * Leases due tasks to workers that can be called, by one look at them, and has them called. Tasks that no such worker could take are passed over, however many they are, and
 * keep once why. True when there may be more to do.
 */
export async function dispatchNext({ db }: { db: Db }, calls: CallTable): Promise<boolean> {
  if (calls.room() <= 0) return false
  const leased = await dispatchDue(db, calls)
  await keepWhy(db)
  return leased > 0
}

async function dispatchDue(db: Db, calls: CallTable): Promise<number> {
  const { rows } = await db.query<{ task_id: string }>(
    prepared(sql`WITH ready AS MATERIALIZED (SELECT w.worker_id, w.labels FROM worker_node w LEFT JOIN worker_breaker b ON b.worker_id = w.worker_id WHERE ${READY})
      SELECT t.task_id FROM llm_task t WHERE ${DUE} AND EXISTS (SELECT FROM ready) AND EXISTS (SELECT FROM ready w WHERE ${IS_FOR})
      ORDER BY t.priority DESC, t.not_before, t.task_id LIMIT ${BATCH}`),
  )
  if (rows.length === 0) return 0
  let look = await lookAtWorkers(db, null)
  let leased = 0
  for (const { task_id } of rows) {
    if (calls.room() <= 0) break
    const granted = await leaseTask(db, { taskId: task_id, among: 'called', look }, RUNTIME)
    if (!granted.ok) continue
    const { lease, workerId } = granted.value
    look = withTask(look, workerId, lease.context_id)
    calls.open(granted.value)
    leased++
  }
  return leased
}

/** Those that nobody could take keep why, the first time that somebody looks; a page of the task shows how it is now. */
async function keepWhy(db: Db): Promise<void> {
  const { rows } = await db.query<{ task_id: string }>(
    prepared(
      sql`SELECT t.task_id FROM llm_task t WHERE ${DUE} AND t.wait_reason IS NULL ORDER BY t.priority DESC, t.not_before, t.task_id LIMIT ${BATCH}`,
    ),
  )
  await keepWaits(
    db,
    rows.map((row) => row.task_id),
  )
}
