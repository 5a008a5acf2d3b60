/** What people may do to a job: cancel it, fail it, put it back into the queue ([jobs#J16] to [jobs#J18]). */
import sql, { type Sql } from 'sql-template-tag'
import type { JobAction, JobCommandInput, JobSubmitted } from '#contracts/job.contract.ts'
import { type Caller, ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import { may } from '#domain/authority/matrix.ts'
import { EVENT_NAMES } from '#domain/event/event-names.ts'
import { jobMachine } from '#domain/job/job.machine.ts'
import { JOB_ACTION_EVENTS, type JobOperation } from '#domain/job/job.rules.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { allowed, can } from '#domain/kernel/machine.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { authorityFault } from '#server/ledger/authority-check.ts'
import { isoNow } from '#server/ledger/clock.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import { transition } from '#server/ledger/transition.ts'
import { redactText } from '#server/redaction/redact.ts'
import type { Services } from '#server/services.ts'
import { AGENT_GONE, AT_FENCE, RELEASE_LEASE, WITH_ERROR } from './job-row.ts'
import type { NlmClient } from './nlm-client.ts'

export type Operated = Pick<JobSubmitted, 'job_id' | 'status'>
/** A job that was moved, and whether its work was with the NotebookLM Backend. */
export type MovedJob = { job_id: string; called: boolean }

const CALLED = jobMachine.events.context_ready.to

const ended = (kind: 'operator' | 'cancelled', code: string, reason: string): Sql =>
  sql`fence = t.fence + 1, failure_kind = ${kind}, finished_at = clock_timestamp(), not_before = NULL, wait_reason = NULL, wait_blocker = NULL, ${RELEASE_LEASE},
    error = jsonb_build_object('code', ${code}::text, 'message', ${redactText(reason)}::text, 'phase', t.status, 'retryable', false, 'at', ${isoNow})`

/** What each operation changes beside the state; each raises the fence, so that a holder's later writes are refused. */
const CHANGES: Record<JobOperation, (reason: string, caller: Caller) => Sql> = {
  operator_fail: (reason) => ended('operator', 'OPERATOR_FAILED', reason),
  cancel: (reason) => ended('cancelled', 'CANCELLED', reason),
  requeue: (
    _reason,
    caller,
  ) => sql`fence = t.fence + 1, attempt = 0, requeue_count = t.requeue_count + 1, requeued_by = ${caller.identity},
    error = NULL, failure_kind = NULL, finished_at = NULL, not_before = NULL, wait_reason = NULL, wait_blocker = NULL`,
}

/** J17: ends a job that is not done as cancelled; the NotebookLM Backend is asked to stop, best effort and unawaited. */
export async function cancelJob(
  services: Pick<Services, 'db'>,
  input: JobCommandInput,
  caller: Caller,
  nlm?: Pick<NlmClient, 'cancel'>,
): Promise<Result<Operated>> {
  const outcome = await operateOne(services, 'cancel', input, caller)
  if (!outcome.ok) return outcome
  stopCalls(nlm, [outcome.value])
  const { job_id, status } = outcome.value
  return ok({ job_id, status })
}

/** J16: ends a job that is not done as failed. */
export const failJob = (
  services: Pick<Services, 'db'>,
  input: JobCommandInput,
  caller: Caller,
): Promise<Result<Operated>> => operateOne(services, 'fail', input, caller)

/** J18: a FAILED or DEAD job goes back into the queue with all its retries; its history stays. */
export const requeueJob = (
  services: Pick<Services, 'db'>,
  input: JobCommandInput,
  caller: Caller,
): Promise<Result<Operated>> => operateOne(services, 'requeue', input, caller)

/** Cancels the open jobs of a run, in the transaction that cancels the run; `stopCalls` follows its commit. */
export const cancelJobsOfRun = (tx: Db, runId: string, reason: string, actor: Caller): Promise<MovedJob[]> =>
  operateJobs(tx, 'cancel', sql`o.run_id = ${runId}`, { reason, caller: actor })

const ARCHIVED_REASON = 'The agent was archived.'

/**
 * Cancels what waits for an agent that was archived ([jobs#agents]): nobody will ever take it. What is at work ends its attempt, a PENDING job
 * is refused (J3). Returns how many.
 */
export async function cancelJobsOfArchived(db: Db, limit = 200): Promise<number> {
  const moved = await operateJobs(db, 'cancel', sql`o.job_id = ANY(ARRAY(${waitingOfArchived(limit)}))`, {
    reason: ARCHIVED_REASON,
    caller: ORCHESTRATION_LAYER,
    limit,
  })
  return moved.length
}

/** At most `limit` of each kind an agent, along the indexes of what waits: neither its history nor the jobs of others are read. */
export const waitingOfArchived = (limit: number): Sql =>
  sql`SELECT w.job_id FROM agent g CROSS JOIN LATERAL (
      (SELECT j.job_id FROM job j WHERE j.agent_slug = g.slug AND j.status = ${state(jobMachine, 'QUEUED')}
        ORDER BY j.priority, j.created_at, j.job_id LIMIT ${limit})
      UNION ALL (SELECT j.job_id FROM job j WHERE j.agent_slug = g.slug AND j.status = ${state(jobMachine, 'RETRY_BACKOFF')}
        ORDER BY j.job_id LIMIT ${limit})) w
    WHERE g.status IN ${AGENT_GONE} LIMIT ${limit}`

/** Why the caller may not operate jobs: a person by the matrix of actions, a component by that of components. */
export async function operateFault(db: Db, caller: Caller, job_id?: string): Promise<Refusal | null> {
  const person = caller.role !== 'service' && caller.role !== 'agent'
  if (person && !may(caller.role, 'job.operate'))
    return { code: 'FORBIDDEN', message: 'You are not allowed to operate jobs.' }
  return authorityFault(db, caller, 'job', 'operate', { id: job_id })
}

/** Asks the NotebookLM Backend to stop the work that was with it ([jobs#J17]): after the commit, best effort and unawaited. */
export function stopCalls(nlm: Pick<NlmClient, 'cancel'> | undefined, moved: readonly MovedJob[]): void {
  for (const { job_id, called } of moved) if (called) void nlm?.cancel(job_id)
}

/** Whether the agent of the job can never run it again. */
export const agentGone = (slug: Sql): Sql =>
  sql`EXISTS (SELECT 1 FROM agent g WHERE g.slug = ${slug} AND g.status IN ${AGENT_GONE})`

/**
 * Moves the jobs that `which` names and that the action may touch, and returns them; with a `limit`, `which` names them by key and those that
 * somebody else holds are left. Part of the caller's transaction.
 */
export async function operateJobs(
  tx: Db,
  action: JobAction,
  which: Sql,
  { reason, caller, limit }: { reason: string; caller: Caller; limit?: number },
): Promise<MovedJob[]> {
  const event = JOB_ACTION_EVENTS[action]
  const where = event === 'requeue' ? sql`(${which}) AND NOT ${agentGone(sql`o.agent_slug`)}` : which
  const rows = await transition(tx, {
    machine: 'job',
    event,
    actor: caller,
    where,
    ...(limit && { batch: { order: sql`o.job_id`, limit }, byKey: true }),
    set: CHANGES[event](reason, caller),
    reason,
    details: event === 'requeue' ? AT_FENCE : WITH_ERROR,
    returning: ['job_id', 'error'],
  })
  // The error of a job that was ended here names the state in which it was.
  return rows.map(({ job_id, error }) => ({ job_id, called: error?.phase === CALLED }))
}

/** One action on one job: 404, 409 `JOB_WRITING` or `INVALID_TRANSITION` with what may be done instead, recorded as refused. */
async function operateOne(
  { db }: Pick<Services, 'db'>,
  action: JobAction,
  { job_id, reason }: JobCommandInput,
  caller: Caller,
): Promise<Result<Operated & MovedJob>> {
  const fault = await operateFault(db, caller, job_id)
  if (fault) return refuse(fault)
  const [moved] = await operateJobs(db, action, sql`o.job_id = ${job_id}`, { reason, caller })
  if (!moved) return refusal(db, JOB_ACTION_EVENTS[action], job_id, caller)
  return ok({ ...moved, status: jobMachine.events[JOB_ACTION_EVENTS[action]].to })
}

async function refusal(
  db: Db,
  operation: JobOperation,
  job_id: string,
  caller: Caller,
): Promise<Result<never>> {
  const { rows } = await db.query<Refused>(
    sql`SELECT j.status, j.agent_slug, ${agentGone(sql`j.agent_slug`)} AS gone FROM job j WHERE j.job_id = ${job_id}`,
  )
  const job = rows[0]
  if (!job) return refuse({ code: 'NOT_FOUND', message: 'There is no such job.' })
  const { code, message } = whyNot(job, operation)
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
    message,
    details: { from: job.status, event: operation, allowed: allowed(jobMachine, job.status) },
  })
}

type Refused = Row<'job', 'status' | 'agent_slug'> & { gone: boolean }

function whyNot(
  { status, agent_slug, gone }: Refused,
  operation: JobOperation,
): Pick<Refusal, 'code' | 'message'> {
  if (status === jobMachine.events.nlm_answered.to && operation !== 'requeue')
    return {
      code: 'JOB_WRITING',
      message: 'The artifact is being saved; this takes a few seconds. Try again.',
    }
  if (gone && operation === 'requeue' && can(jobMachine, status, operation))
    return {
      code: 'AGENT_NOT_ACTIVE',
      message: `The agent ${agent_slug} is archived, so nobody would take the job. Restore and activate it first.`,
    }
  return { code: 'INVALID_TRANSITION', message: `This cannot be done to a job that is ${status}.` }
}
