import sql from 'sql-template-tag'
import { LEASE_SECONDS } from '#domain/job/job.rules.ts'
import { fromNow } from '#server/ledger/clock.ts'
import type { Db } from '#server/ledger/database.ts'
import { ACTIVE } from './held-job.ts'

/** The holder of a job that a worker handed over when it stopped: any worker that lives takes it with its next heartbeat. */
const HANDED_OVER = ''

/**
 * Renews every lease of this worker, and takes those that a stopping worker handed over. A lease that has passed is never renewed:
 * it is the reaper's (D5, D23). Returns how many are held.
 */
export async function heartbeatLeases(db: Db, holder: string): Promise<number> {
  const { rowCount } =
    await db.query(sql`UPDATE job SET lease_holder = ${holder}, lease_expires_at = ${fromNow(LEASE_SECONDS)}
    WHERE status IN ${ACTIVE} AND lease_holder IN (${holder}, ${HANDED_OVER}) AND lease_expires_at > clock_timestamp()`)
  return rowCount ?? 0
}

/**
 * A worker that stops hands over the jobs which only wait for the NotebookLM Backend: their write tokens stay good, no try is lost.
 * Nobody there to take them: their leases pass and the reaper comes. Returns how many.
 */
export async function handOverJobs(db: Db, holder: string): Promise<number> {
  const { rowCount } = await db.query(sql`UPDATE job SET lease_holder = ${HANDED_OVER}
    WHERE status = 'NOTEBOOKLM_CALL' AND lease_holder = ${holder} AND lease_expires_at > clock_timestamp()`)
  return rowCount ?? 0
}

export type Overdue = { job_id: string; fence: number; status: string }

/** Jobs of this worker whose phase has taken longer than its limit (page 02, section 2.3); a dead holder's are the reaper's. */
export async function overdueJobs(db: Db, holder: string): Promise<Overdue[]> {
  const { rows } = await db.query<Overdue>(sql`SELECT job_id, fence, status FROM job
    WHERE status IN ${ACTIVE} AND lease_holder = ${holder} AND phase_deadline < clock_timestamp() AND lease_expires_at > clock_timestamp()
    ORDER BY phase_deadline LIMIT 200`)
  return rows
}
