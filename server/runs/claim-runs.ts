/**
 * Leases of running runs (D23): 60 s on the database clock, renewed every 10 s for all that this process holds.
 *
 * Three ways to come to hold one: `start` (enqueue-runs), `resume` of one whose lease ran out (R9), and `wake` of one that
 * rested inside step 02 without a holder. Each makes the fence grow, so that whoever held it before can write nothing more.
 */
import sql from 'sql-template-tag'
import { ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import { LEASE_SECONDS } from '#domain/job/job.rules.ts'
import { RUN_LIMIT_SECONDS } from '#domain/run/step.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import { move } from '#server/ledger/move.ts'
import { json } from '#server/ledger/tell.ts'
import { RESTED_JOB_STATES } from './job-states.ts'
import { RUNNING, type RunRow } from './run-row.ts'

export type Lease = { runId: string; fence: number }
const leaseEnd = sql`clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})`

/** R9: takes over runs whose lease has run out; they go on after their last checkpoint. */
export function resumeExpired(db: Db, holder: string, limit: number): Promise<RunRow[]> {
  return move<RunRow>(db, {
    machine: 'run',
    event: 'resume',
    actor: ORCHESTRATION_LAYER,
    where: sql`o.lease_expires_at < clock_timestamp()`,
    set: sql`fence = t.fence + 1, resumes = t.resumes + 1, revision = t.revision + 1, lease_holder = ${holder}, lease_expires_at = ${leaseEnd}`,
    batch: { order: sql`o.lease_expires_at`, limit },
    details: sql`jsonb_build_object('fence', m.fence, 'after_step', m.steps_completed)`,
  })
}

/** Takes up runs that rested for a Job: it has ended, a cancel came, or the run's time is over. */
export async function wakeWaiting(db: Db, holder: string, limit: number): Promise<RunRow[]> {
  const { rows } = await db.query<RunRow>(sql`WITH due AS (
      SELECT r.run_id FROM run r WHERE r.status = ${RUNNING} AND r.lease_holder IS NULL AND r.waiting_on IS NOT NULL
        AND (r.cancel_requested IS NOT NULL OR r.started_at + make_interval(secs => ${RUN_LIMIT_SECONDS}) < clock_timestamp()
          OR NOT EXISTS (SELECT 1 FROM job j WHERE j.job_id = (r.waiting_on ->> 'id')::uuid AND NOT j.status = ANY(${[...RESTED_JOB_STATES]}::text[])))
      ORDER BY r.updated_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    UPDATE run t SET fence = t.fence + 1, revision = t.revision + 1, waiting_on = NULL, lease_holder = ${holder}, lease_expires_at = ${leaseEnd},
      updated_at = clock_timestamp()
    FROM due WHERE t.run_id = due.run_id RETURNING t.*`)
  return rows
}

/** Lets go of a run that waits for a Job (its executor is gone already). False when the fence was lost. */
export async function restForJob(db: Db, lease: Lease, jobId: string): Promise<boolean> {
  const { rowCount } =
    await db.query(sql`UPDATE run SET waiting_on = ${json({ kind: 'job', id: jobId })}, lease_holder = NULL, lease_expires_at = NULL,
      revision = revision + 1, updated_at = clock_timestamp()
    WHERE run_id = ${lease.runId} AND fence = ${lease.fence} AND status = ${RUNNING} AND lease_holder IS NOT NULL`)
  return rowCount === 1
}

export type Renewal = { run_id: string; fence: number; cancel_requested: string | null }

/** Renews the leases that are still ours and returns them; what is missing is lost. */
export async function renewLeases(db: Db, holder: string, leases: readonly Lease[]): Promise<Renewal[]> {
  const { rows } = await db.query<Renewal>(sql`UPDATE run t SET lease_expires_at = ${leaseEnd}
    FROM unnest(${leases.map((l) => l.runId)}::text[], ${leases.map((l) => l.fence)}::bigint[]) AS held(run_id, fence)
    WHERE t.run_id = held.run_id AND t.fence = held.fence AND t.lease_holder = ${holder} AND t.status = ${RUNNING}
    RETURNING t.run_id, t.fence, t.cancel_requested`)
  return rows
}

/** Of the leases, those that are gone or whose run is to be cancelled: looked at with every scan. */
export async function troubled(
  db: Db,
  leases: readonly Lease[],
): Promise<{ run_id: string; lost: boolean }[]> {
  if (leases.length === 0) return []
  const { rows } = await db.query<{
    run_id: string
    lost: boolean
  }>(sql`SELECT held.run_id, r.run_id IS NULL AS lost
    FROM unnest(${leases.map((l) => l.runId)}::text[], ${leases.map((l) => l.fence)}::bigint[]) AS held(run_id, fence)
    LEFT JOIN run r ON r.run_id = held.run_id AND r.fence = held.fence AND r.status = ${RUNNING}
    WHERE r.run_id IS NULL OR (r.cancel_requested IS NOT NULL AND r.current_step < 3)`)
  return rows
}

/** Ends our lease now, so that another process resumes at once: for a stop. */
export async function giveBack(db: Db, lease: Lease): Promise<void> {
  await db.query(sql`UPDATE run SET lease_expires_at = clock_timestamp() WHERE run_id = ${lease.runId} AND fence = ${lease.fence}
    AND status = ${RUNNING} AND lease_holder IS NOT NULL`)
}
