import sql, { type Sql } from 'sql-template-tag'
import type { JobErrorCode } from '#contracts/job.contract.ts'
import { type Caller, ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import type { JobEvent, JobState } from '#domain/job/job.machine.ts'
import { backoffTable } from '#domain/job/job.rules.ts'
import type { Services } from '#server/composition/services.ts'
import { isoNow } from '#server/ledger/clock.ts'
import type { Db } from '#server/ledger/database.ts'
import { move } from '#server/ledger/move.ts'
import { type Hold, RELEASED, WITH_ERROR } from './held-job.ts'

export type JobFailure = { code: JobErrorCode; message: string; retryAfter?: number }

/** `error` of a job, over the row `t` that fails now. */
export const errorOf = (failure: JobFailure, retryable: boolean): Sql =>
  sql`jsonb_build_object('code', ${failure.code}::text, 'message', ${failure.message.slice(0, 1_000)}::text, 'phase', t.status, 'retryable', ${retryable}::boolean, 'at', ${isoNow})`

/** The end of the rest before the next try of the row `t`, by the rule's table (page 02, section 2.2). */
export function restUntil(retryAfter = 0): Sql {
  const seconds = backoffTable(retryAfter)
  const place = sql`least(greatest(t.attempt, 0), ${seconds.length - 1}::int) + 1`
  return sql`clock_timestamp() + make_interval(secs => (${seconds}::int[])[${place}])`
}

type RestEvent = Extract<JobEvent, 'context_timeout' | 'nlm_busy' | 'write_error'>

/**
 * J6, J8, J11: the try failed in a way that a repeat may mend. The job rests, or, with its retries used up, ends at once (J14), in the
 * same commit. Returns the state it is in, or null when it was no longer the holder's.
 */
export async function restJob(
  { database }: Pick<Services, 'database'>,
  event: RestEvent,
  hold: Hold,
  failure: JobFailure,
): Promise<JobState | null> {
  return database.transaction(async (tx) => {
    const rested = await restOne(tx, event, hold, failure)
    if (!rested) return null
    const ended = await exhaustJobs(tx, sql`o.job_id = ${hold.job_id}`)
    return ended.length > 0 ? 'FAILED' : 'RETRY_BACKOFF'
  })
}

/** The move alone, inside a transaction of the caller, who calls `exhaustJobs` after it. */
export async function restOne(
  tx: Db,
  event: RestEvent,
  hold: Hold,
  failure: JobFailure,
  actor: Caller = ORCHESTRATION_LAYER,
): Promise<boolean> {
  const rows = await move(tx, {
    machine: 'job',
    event,
    actor,
    where: sql`o.job_id = ${hold.job_id} AND o.fence = ${hold.fence}`,
    set: sql`error = ${errorOf(failure, true)}, not_before = ${restUntil(failure.retryAfter)}, wait_reason = 'backoff', ${RELEASED}`,
    errorCode: failure.code,
    details: WITH_ERROR,
    returning: sql`m.job_id`,
  })
  return rows.length > 0
}

/** J14: resting jobs with no retry left end as exhausted, with their last error. Returns their ids. */
export async function exhaustJobs(tx: Db, which: Sql, limit = 1_000): Promise<string[]> {
  const rows = await move<{ job_id: string }>(tx, {
    machine: 'job',
    event: 'exhausted',
    actor: ORCHESTRATION_LAYER,
    where: sql`o.attempt >= o.max_attempts AND (${which})`,
    batch: { order: sql`o.job_id`, limit },
    set: sql`failure_kind = 'exhausted', finished_at = clock_timestamp(), not_before = NULL, wait_reason = NULL`,
    details: WITH_ERROR,
    returning: sql`m.job_id`,
  })
  return rows.map((r) => r.job_id)
}
