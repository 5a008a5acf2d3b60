import sql from 'sql-template-tag'
import { ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import type { Db } from '#server/ledger/database.ts'
import { move } from '#server/ledger/move.ts'
import { AT_FENCE } from './held-job.ts'

/** J13: jobs whose rest is over go back into the queue with one more attempt. Returns how many. */
export async function wakeJobs(db: Db, limit = 500): Promise<number> {
  const rows = await move(db, {
    machine: 'job',
    event: 'backoff_elapsed',
    actor: ORCHESTRATION_LAYER,
    where: sql`o.not_before <= clock_timestamp() AND o.attempt < o.max_attempts`,
    batch: { order: sql`o.not_before`, limit },
    set: sql`attempt = t.attempt + 1, not_before = NULL, wait_reason = NULL`,
    details: AT_FENCE,
    returning: sql`m.job_id`,
  })
  return rows.length
}

/** Milliseconds until the next rest is over, 0 when one is over already, null when nothing rests. */
export async function nextWakeInMs(db: Db): Promise<number | null> {
  const { rows } = await db.query<{ ms: number | null }>(
    sql`SELECT (extract(epoch FROM min(not_before) - clock_timestamp()) * 1000)::float AS ms FROM job WHERE status = 'RETRY_BACKOFF' AND attempt < max_attempts`,
  )
  const ms = rows[0]?.ms ?? null
  return ms === null ? null : Math.max(0, Math.ceil(ms))
}
