import sql, { type Sql } from 'sql-template-tag'
import type { JobSubmitted } from '#contracts/job.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { may } from '#domain/authority/matrix.ts'
import { EVENT_NAMES } from '#domain/event/event-names.ts'
import { type JobEvent, type JobState, jobMachine } from '#domain/job/job.machine.ts'
import { allowed } from '#domain/kernel/machine.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Services } from '#server/composition/services.ts'
import { isoNow } from '#server/ledger/clock.ts'
import type { Db } from '#server/ledger/database.ts'
import { move } from '#server/ledger/move.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { AT_FENCE, RELEASED, WITH_ERROR } from './held-job.ts'

/** What people may do to a job (J16–J18). */
export type Operation = Extract<JobEvent, 'operator_fail' | 'cancel' | 'requeue'>
export type Operated = Pick<JobSubmitted, 'job_id' | 'status'>

const ended = (kind: 'operator' | 'cancelled', code: string, reason: string): Sql =>
  sql`fence = t.fence + 1, failure_kind = ${kind}, finished_at = clock_timestamp(), not_before = NULL, wait_reason = NULL, wait_blocker = NULL, ${RELEASED},
    error = jsonb_build_object('code', ${code}::text, 'message', ${reason}::text, 'phase', t.status, 'retryable', false, 'at', ${isoNow})`

/** What each command changes beside the state; each makes the fence grow, so that a holder's later writes are refused. */
const CHANGES: Record<Operation, (reason: string, caller: Caller) => Sql> = {
  operator_fail: (reason) => ended('operator', 'OPERATOR_FAILED', reason),
  cancel: (reason) => ended('cancelled', 'CANCELLED', reason),
  requeue: (
    _reason,
    caller,
  ) => sql`fence = t.fence + 1, attempt = 0, requeue_count = t.requeue_count + 1, requeued_by = ${caller.identity},
    error = NULL, failure_kind = NULL, finished_at = NULL, not_before = NULL, wait_reason = NULL, wait_blocker = NULL`,
}

/** Moves the jobs that `which` names and that the command may touch; returns their ids. Part of the caller's transaction. */
export async function operate(
  tx: Db,
  operation: Operation,
  which: Sql,
  reason: string,
  caller: Caller,
): Promise<string[]> {
  const rows = await move<{ job_id: string }>(tx, {
    machine: 'job',
    event: operation,
    actor: caller,
    where: which,
    set: CHANGES[operation](reason, caller),
    reason,
    details: operation === 'requeue' ? AT_FENCE : WITH_ERROR,
    returning: sql`m.job_id`,
  })
  return rows.map((r) => r.job_id)
}

/** One command on one job: 404, 409 `JOB_WRITING` or `INVALID_TRANSITION` with what may be done instead, recorded as refused. */
export async function operateOne(
  { db, hints }: Pick<Services, 'db' | 'hints'>,
  operation: Operation,
  { job_id, reason }: { job_id: string; reason: string },
  caller: Caller,
): Promise<Result<Operated>> {
  if (!may(caller.role, 'job.operate')) return refuse({ code: 'FORBIDDEN', message: 'Not enough rights.' })
  const moved = await operate(db, operation, sql`o.job_id = ${job_id}`, reason, caller)
  if (moved.length > 0) {
    hints.hint('jobs')
    hints.hint('runs')
    hints.hint('events')
    return ok({ job_id, status: jobMachine.events[operation].to })
  }
  return refusal(db, operation, job_id, caller)
}

async function refusal(db: Db, operation: Operation, job_id: string, caller: Caller): Promise<Result<never>> {
  const { rows } = await db.query<{ status: JobState; agent_slug: string }>(
    sql`SELECT status, agent_slug FROM job WHERE job_id = ${job_id}`,
  )
  const job = rows[0]
  if (!job) return refuse({ code: 'NOT_FOUND', message: 'There is no such job.' })
  const writing = job.status === 'ARTIFACT_WRITE' && operation !== 'requeue'
  const code = writing ? 'JOB_WRITING' : 'INVALID_TRANSITION'
  await recordEvent(db, {
    name: EVENT_NAMES.job[operation] ?? 'job.status.update',
    actor: caller,
    resource: { type: 'job', id: job_id },
    outcome: 'refused',
    errorCode: code,
    from: job.status,
    refs: { job_id, agent: job.agent_slug },
    details: { event: operation },
  })
  return refuse({
    code,
    message: writing
      ? 'The artifact is being saved; this lasts seconds.'
      : `A job that is ${job.status} does not take this.`,
    details: { from: job.status, event: operation, allowed: allowed(jobMachine, job.status) },
  })
}
