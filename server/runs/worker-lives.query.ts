import sql from 'sql-template-tag'
import type { Db } from '#server/ledger/database.ts'

/** How long a worker may be silent before it counts as gone. */
export const WORKER_SILENCE_SECONDS = 45

/** True when a worker that has not stopped was heard of lately. */
export async function workerLives(db: Db): Promise<boolean> {
  const { rows } = await db.query(sql`SELECT 1 FROM worker_process w WHERE w.stopped_at IS NULL
    AND w.heartbeat_at > clock_timestamp() - make_interval(secs => ${WORKER_SILENCE_SECONDS}) LIMIT 1`)
  return rows.length > 0
}
