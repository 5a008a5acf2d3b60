import sql from 'sql-template-tag'
import type { Db } from '#server/ledger/database.ts'
import { prepared } from '#server/ledger/prepared.ts'
import { OFFLINE_AFTER_SECONDS } from './runtime-rows.ts'

/**
 * Notes that a worker was heard; its row is written at most every five seconds, however often it calls. One that was silent too long is there again;
 * one that took its leave stays away.
 */
export async function hearWorker(tx: Db, workerId: string): Promise<void> {
  await tx.query(
    prepared(sql`UPDATE worker_node SET last_heartbeat_at = clock_timestamp(),
        offline_at = CASE WHEN offline_at >= last_heartbeat_at + make_interval(secs => ${OFFLINE_AFTER_SECONDS}) THEN NULL ELSE offline_at END
      WHERE worker_id = ${workerId} AND coalesce(last_heartbeat_at < clock_timestamp() - interval '5 seconds', true)`),
  )
}
