/**
 * Leases of running runs: 60 s on the database clock, renewed every 10 s for all runs of a process.
 *
 * A process gets one in four ways: `start` (enqueue-runs.ts), `resume` of a run whose lease expired ([runs#R9]), `releaseWaiting` of a
 * run that waited for a job or an LLM Task inside step 02 without a holder, and `releaseParked` (park-run.ts) of one that waited for a person. Each increments the fence, so a former holder can write nothing more.
 */
import sql, { type Sql } from 'sql-template-tag'
import { ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import { jobMachine } from '#domain/job/job.machine.ts'
import { LEASE_SECONDS } from '#domain/job/job.rules.ts'
import { JOB_ENDED } from '#domain/run/run.rules.ts'
import { RUN_LIMIT_SECONDS } from '#domain/run/step.machine.ts'
import { fromNow } from '#server/ledger/clock.ts'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import type { Row } from '#server/ledger/rows.ts'
import { states } from '#server/ledger/states.ts'
import { transition } from '#server/ledger/transition.ts'
import type { AwaitedWork } from '#server/ports/agent-executor.ts'
import type { Fenced } from './run-parts.ts'
import { IN_RUNNING, worked } from './run-row.ts'

/** A run whose lease this process has just got. */
export type ClaimedRun = Row<'run', 'run_id' | 'fence'>

/** `SET` for every end of the work on a run, over the row `t`. */
export const RELEASE_LEASE: Sql = sql`lease_holder = NULL, lease_expires_at = NULL, waiting_on = NULL, revision = t.revision + 1`
export const LEASE_END = fromNow(LEASE_SECONDS)

/** [runs#R9]: takes over runs whose lease has expired; they continue after their last checkpoint. */
export function resumeExpired(db: Db, holder: string, limit: number): Promise<ClaimedRun[]> {
  return transition(db, {
    machine: 'run',
    event: 'resume',
    actor: ORCHESTRATION_LAYER,
    where: sql`o.lease_expires_at < clock_timestamp()`,
    set: sql`fence = t.fence + 1, resumes = t.resumes + 1, revision = t.revision + 1, lease_holder = ${holder}, lease_expires_at = ${LEASE_END}`,
    batch: { order: sql`o.lease_expires_at`, limit },
    details: sql`jsonb_build_object('fence', m.fence, 'after_step', m.steps_completed)`,
    returning: ['run_id', 'fence'],
  })
}

/** Takes up runs that waited for a job or an LLM Task: it has ended, a cancel was requested, or the run's time is over. */
export async function releaseWaiting(db: Db, holder: string, limit: number): Promise<ClaimedRun[]> {
  const { rows } = await db.query<ClaimedRun>(sql`WITH due AS (
      SELECT r.run_id FROM run r WHERE ${worked('r')} AND r.lease_holder IS NULL AND r.waiting_on IS NOT NULL
        AND (r.cancel_requested IS NOT NULL
          OR r.started_at + make_interval(secs => ${RUN_LIMIT_SECONDS} + r.parked_ms / 1000.0) < clock_timestamp()
          OR (NOT EXISTS (SELECT 1 FROM job j WHERE j.job_id = (r.waiting_on ->> 'id')::uuid AND j.status NOT IN ${states(jobMachine, ...JOB_ENDED)})
            AND NOT EXISTS (SELECT 1 FROM llm_task k WHERE k.task_id = (r.waiting_on ->> 'id')::uuid AND k.ended_at IS NULL)))
      ORDER BY r.updated_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    UPDATE run t SET fence = t.fence + 1, revision = t.revision + 1, waiting_on = NULL, lease_holder = ${holder}, lease_expires_at = ${LEASE_END},
      updated_at = clock_timestamp()
    FROM due WHERE t.run_id = due.run_id RETURNING t.run_id, t.fence`)
  return rows
}

/** Suspends a run that waits for its work elsewhere: its executor is gone and its capacity is free. False when the fence is stale. */
export async function suspendForWork(db: Db, lease: Fenced, work: AwaitedWork): Promise<boolean> {
  const { rowCount } =
    await db.query(sql`UPDATE run SET waiting_on = ${json(work)}, lease_holder = NULL, lease_expires_at = NULL,
      revision = revision + 1, updated_at = clock_timestamp()
    WHERE run_id = ${lease.runId} AND fence = ${lease.fence} AND status = ${IN_RUNNING} AND lease_holder IS NOT NULL`)
  if (rowCount === 1) db.notify('runs')
  return rowCount === 1
}

/** Renews the leases that are still ours and returns them; a missing one is lost. */
export async function renewLeases(db: Db, holder: string, leases: readonly Fenced[]): Promise<ClaimedRun[]> {
  const { rows } = await db.query<ClaimedRun>(sql`UPDATE run t SET lease_expires_at = ${LEASE_END}
    FROM ${relation(leases)} WHERE t.run_id = leased.run_id AND t.fence = leased.fence AND t.lease_holder = ${holder} AND t.status = ${IN_RUNNING}
    RETURNING t.run_id, t.fence`)
  return rows
}

/** Of these leases, those that are lost or whose run is to be cancelled. */
export async function changedLeases(
  db: Db,
  leases: readonly Fenced[],
): Promise<(Row<'run', 'run_id'> & { lost: boolean })[]> {
  if (leases.length === 0) return []
  const { rows } = await db.query<
    Row<'run', 'run_id'> & { lost: boolean }
  >(sql`SELECT leased.run_id, r.run_id IS NULL AS lost
    FROM ${relation(leases)} LEFT JOIN run r ON r.run_id = leased.run_id AND r.fence = leased.fence AND r.status = ${IN_RUNNING}
    WHERE r.run_id IS NULL OR (r.cancel_requested IS NOT NULL AND r.current_step < 3)`)
  return rows
}

const relation = (leases: readonly Fenced[]): Sql =>
  sql`unnest(${leases.map((l) => l.runId)}::text[], ${leases.map((l) => l.fence)}::bigint[]) AS leased(run_id, fence)`

/** Ends our lease now, so that another process can resume at once: for a process that stops. */
export async function expireLease(db: Db, lease: Fenced): Promise<void> {
  await db.query(sql`UPDATE run SET lease_expires_at = clock_timestamp() WHERE run_id = ${lease.runId} AND fence = ${lease.fence}
    AND status = ${IN_RUNNING} AND lease_holder IS NOT NULL`)
}
