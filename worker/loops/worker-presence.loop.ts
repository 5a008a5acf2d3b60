import { hostname } from 'node:os'
import sql from 'sql-template-tag'
import { clockSkewMs } from '#server/ledger/clock-skew.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Services } from '#server/services.ts'
import type { Loop } from './loop.ts'

const EVERY_MS = 10_000

/** Records for the health page that this worker lives, and how far its clock is from the database's, every 10 s. */
export function workerPresenceLoop({ db }: Pick<Services, 'db'>, holder: string): Loop {
  return {
    name: 'worker-presence',
    everyMs: EVERY_MS,
    async tick() {
      await recordPresence(db, holder)
      return 'idle'
    },
  }
}

/** The worker lives; said before its first probe asks whether any does. */
export async function recordPresence(db: Db, holder: string): Promise<void> {
  const skew = await clockSkewMs(db)
  await db.query(sql`INSERT INTO worker_process (worker_id, host, pid, clock_skew_ms) VALUES (${holder}, ${hostname()}, ${process.pid}, ${skew})
    ON CONFLICT (worker_id) DO UPDATE SET heartbeat_at = clock_timestamp(), stopped_at = NULL, clock_skew_ms = excluded.clock_skew_ms`)
}

/** The worker says good-bye. */
export async function recordStopped(db: Db, holder: string): Promise<void> {
  await db.query(sql`UPDATE worker_process SET stopped_at = clock_timestamp() WHERE worker_id = ${holder}`)
}
