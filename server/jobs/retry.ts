/**
 * What happens after a failure: backoff, the next attempt, and the end of the attempts ([jobs#retries]).
 */
import sql, { type Sql } from 'sql-template-tag'
import { type Caller, NLM_BACKEND, ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import { type JobEvent, type JobState, jobMachine } from '#domain/job/job.machine.ts'
import type { JobErrorCode } from '#domain/job/job.rules.ts'
import { backoffTable } from '#domain/job/job.rules.ts'
import type { RefusedAddress } from '#domain/job/nlm-outcome.rules.ts'
import { isoNow } from '#server/ledger/clock.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { state } from '#server/ledger/states.ts'
import { transition } from '#server/ledger/transition.ts'
import { redactText } from '#server/redaction/redact.ts'
import type { Services } from '#server/services.ts'
import { AT_FENCE, type LeaseRef, RELEASE_LEASE, WITH_ERROR } from './job-row.ts'

export type JobFailure = {
  code: JobErrorCode
  message: string
  retryAfter?: number
  /** Addresses that the backend was not allowed to reach; recorded with the failure, in its commit. */
  refused?: readonly RefusedAddress[]
}

/** `error` of a job, over the row `t` that fails now. */
export const errorOf = (failure: JobFailure, retryable: boolean): Sql =>
  sql`jsonb_build_object('code', ${failure.code}::text, 'message', ${redactText(failure.message).slice(0, 1_000)}::text, 'phase', t.status, 'retryable', ${retryable}::boolean, 'at', ${isoNow})`

/** The end of the backoff of the row `t`, from the rule's table [jobs#retries]. */
export function backoffEnd(retryAfter = 0): Sql {
  const seconds = backoffTable(retryAfter)
  const place = sql`least(greatest(t.attempt, 0), ${seconds.length - 1}::int) + 1`
  return sql`clock_timestamp() + make_interval(secs => (${seconds}::int[])[${place}])`
}

export type BackoffEvent = Extract<JobEvent, 'context_timeout' | 'nlm_busy' | 'write_error'>

/**
 * J6, J8, J11: the attempt failed in a way that a retry may mend. The job backs off, or, with its retries used up, ends at once (J14), in
 * the same commit. Returns its state, or null when the lease was no longer the holder's.
 */
export async function backOffJob(
  { db }: Pick<Services, 'db'>,
  event: BackoffEvent,
  lease: LeaseRef,
  failure: JobFailure,
): Promise<JobState | null> {
  return db.transaction(async (tx) => {
    if (!(await enterBackoff(tx, event, lease, failure))) return null
    await recordRefusedAddresses(tx, lease.job_id, failure.refused)
    const ended = await failExhaustedJobs(tx, sql`o.job_id = ${lease.job_id}`)
    return jobMachine.events[ended.length > 0 ? 'exhausted' : event].to
  })
}

/** The transition alone, inside a transaction of the caller, who calls `failExhaustedJobs` after it. */
export async function enterBackoff(
  tx: Db,
  event: BackoffEvent,
  lease: LeaseRef,
  failure: JobFailure,
  actor: Caller = ORCHESTRATION_LAYER,
): Promise<boolean> {
  const rows = await transition(tx, {
    machine: 'job',
    event,
    actor,
    where: sql`o.job_id = ${lease.job_id} AND o.fence = ${lease.fence}`,
    set: sql`error = ${errorOf(failure, true)}, not_before = ${backoffEnd(failure.retryAfter)}, wait_reason = 'backoff', ${RELEASE_LEASE}`,
    errorCode: failure.code,
    details: WITH_ERROR,
    returning: ['job_id'],
  })
  return rows.length > 0
}

/** J14: jobs in backoff with no retry left end as exhausted, with their last error. Returns their ids. */
export async function failExhaustedJobs(tx: Db, which: Sql, limit = 1_000): Promise<string[]> {
  const rows = await transition(tx, {
    machine: 'job',
    event: 'exhausted',
    actor: ORCHESTRATION_LAYER,
    where: sql`o.attempt >= o.max_attempts AND (${which})`,
    batch: { order: sql`o.job_id`, limit },
    set: sql`failure_kind = 'exhausted', finished_at = clock_timestamp(), not_before = NULL, wait_reason = NULL`,
    details: WITH_ERROR,
    returning: ['job_id'],
  })
  return rows.map((r) => r.job_id)
}

/**
 * J9: the backend will never take this job (a fault of the payload or of the key, an address that it may not reach); it stays FAILED. The refused
 * addresses are recorded with it, once a job however the backend told of them. True when it moved.
 */
export async function failPermanently(db: Db, lease: LeaseRef, failure: JobFailure): Promise<boolean> {
  return db.transaction(async (tx) => {
    const moved = await endAsFatal(tx, lease, failure)
    if (moved) await recordRefusedAddresses(tx, lease.job_id, failure.refused)
    return moved
  })
}

/** By origin alone: what stands behind it may be a secret. */
async function recordRefusedAddresses(
  tx: Db,
  jobId: string,
  refused: readonly RefusedAddress[] = [],
): Promise<void> {
  if (refused.length === 0) return
  await recordEvent(tx, {
    name: 'access.refused',
    actor: NLM_BACKEND,
    resource: { type: 'job', id: jobId },
    outcome: 'refused',
    errorCode: 'VALIDATION_FAILED',
    refs: { job_id: jobId },
    details: { addresses: refused.slice(0, 50), count: refused.length },
  })
}

async function endAsFatal(tx: Db, lease: LeaseRef, failure: JobFailure): Promise<boolean> {
  const rows = await transition(tx, {
    machine: 'job',
    event: 'fatal',
    actor: ORCHESTRATION_LAYER,
    where: sql`o.job_id = ${lease.job_id} AND o.fence = ${lease.fence}`,
    set: sql`error = ${errorOf(failure, false)}, failure_kind = 'invalid', finished_at = clock_timestamp(), ${RELEASE_LEASE}`,
    errorCode: failure.code,
    details: WITH_ERROR,
    returning: ['job_id'],
  })
  return rows.length > 0
}

/** J13: jobs whose backoff has elapsed go back into the queue with one more attempt. Returns how many. */
export async function releaseJobs(db: Db, limit = 500): Promise<number> {
  const rows = await transition(db, {
    machine: 'job',
    event: 'backoff_elapsed',
    actor: ORCHESTRATION_LAYER,
    where: sql`o.not_before <= clock_timestamp() AND o.attempt < o.max_attempts`,
    batch: { order: sql`o.not_before`, limit },
    set: sql`attempt = t.attempt + 1, not_before = NULL, wait_reason = NULL`,
    details: AT_FENCE,
    returning: ['job_id'],
  })
  return rows.length
}

/** Milliseconds until the next backoff elapses, 0 when one has elapsed already, null when no job is in backoff. */
export async function nextReleaseInMs(db: Db): Promise<number | null> {
  const { rows } = await db.query<{ ms: number | null }>(
    sql`SELECT (extract(epoch FROM min(not_before) - clock_timestamp()) * 1000)::float AS ms FROM job
    WHERE status = ${state(jobMachine, 'RETRY_BACKOFF')} AND attempt < max_attempts`,
  )
  const ms = rows[0]?.ms ?? null
  return ms === null ? null : Math.max(0, Math.ceil(ms))
}

/**
 * J15: exhausted jobs become dead letters with the next sweep. Jobs in backoff without a retry left, which a lowered limit could leave
 * behind, end first (J14). Returns how many were marked dead.
 */
export async function markExhaustedDead(db: Db, limit = 500): Promise<number> {
  const rows = await transition(db, {
    machine: 'job',
    event: 'bury',
    actor: ORCHESTRATION_LAYER,
    where: sql`o.failure_kind = 'exhausted'`,
    batch: { order: sql`o.updated_at`, limit },
    details: WITH_ERROR,
    returning: ['job_id'],
  })
  await failExhaustedJobs(db, sql`true`, limit)
  return rows.length
}
