import sql from 'sql-template-tag'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { cancelTask } from './operate-task.ts'
import { RUN_OVER, RUNTIME } from './runtime-rows.ts'

const BATCH = 200
const REASON = 'The run has ended, nobody waits for the answer.'

/**
 * T12 for every task whose run has ended: cancelled, failed or out of time. It follows from the rows alone, so a crash between the two ends loses nothing.
 * Returns how many were cancelled.
 */
export async function cancelUnawaited({ db }: { db: Db }): Promise<number> {
  const { rows } = await db.query<
    Row<'llm_task', 'task_id'>
  >(sql`SELECT t.task_id FROM llm_task t JOIN run r ON r.run_id = t.run_id
    WHERE t.run_id IS NOT NULL AND t.ended_at IS NULL AND ${RUN_OVER} ORDER BY t.run_id LIMIT ${BATCH}`)
  let cancelled = 0
  for (const { task_id } of rows) {
    const done = await cancelTask(db, { taskId: task_id, reason: REASON }, RUNTIME)
    if (done.ok) cancelled++
  }
  return cancelled
}
