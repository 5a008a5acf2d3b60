/**
 * A person has the work of an ended job done once more ([jobs#replays]): a new job with the same payload, or another one, which names the old
 * one. What has ended stays as it is, its artifact too.
 */
import sql from 'sql-template-tag'
import type { JobReplayed, JobReplayInput } from '#contracts/job.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { jobMachine } from '#domain/job/job.machine.ts'
import { REPLAYABLE_STATES } from '#domain/job/job.rules.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'
import { states } from '#server/ledger/states.ts'
import type { Services } from '#server/services.ts'
import { agentGone, operateFault } from './operate-job.ts'
import { submitJob } from './submit-job.ts'

type Source = Row<'job', 'job_id' | 'status' | 'job_type' | 'agent_slug' | 'payload' | 'max_attempts'> & {
  ended: boolean
  gone: boolean
}

/**
 * Creates the replay, of high priority and with the retries of its source, and `job.replayed` in the history of the source. Refuses 404, 409
 * `INVALID_TRANSITION` for a job that has not ended, `AGENT_NOT_ACTIVE` where nobody would take it, `IDEMPOTENCY_MISMATCH` for a `replay_id` that is
 * another job's, 422 and 413 for the payload. The same `replay_id` again is the same job. Part of the caller's transaction.
 */
export async function replayJob(
  { db }: Pick<Services, 'db'>,
  { job_id, reason, payload, replay_id }: JobReplayInput,
  caller: Caller,
): Promise<Result<JobReplayed>> {
  const fault = await operateFault(db, caller, job_id)
  if (fault) return refuse(fault)
  const source = await lockedSource(db, job_id)
  if (!source) return refuse({ code: 'NOT_FOUND', message: 'There is no such job.' })
  const why = whyNot(source)
  if (why) return refused(db, { source, why, reason }, caller)
  const made = await submitJob(
    db,
    {
      job_id: replay_id,
      job_type: source.job_type,
      agent_slug: source.agent_slug,
      payload: payload ?? source.payload,
      priority: 'high',
      max_attempts: source.max_attempts,
      replay: { of: job_id, reason },
    },
    caller,
  )
  if (!made.ok) return made
  const { job_id: replay, status, created } = made.value
  if (created)
    await recordEvent(db, {
      name: 'job.replayed',
      actor: caller,
      reason,
      resource: { type: 'job', id: job_id },
      refs: { job_id, agent: source.agent_slug },
      details: { replay },
    })
  return ok({ job_id: replay, status, replay_of: job_id })
}

/** The source as it stays until the replay is committed: nobody requeues it meanwhile. */
async function lockedSource(db: Db, job_id: string): Promise<Source | undefined> {
  const { rows } =
    await db.query<Source>(sql`SELECT j.job_id, j.status, j.job_type, j.agent_slug, j.payload, j.max_attempts,
      j.status IN ${states(jobMachine, ...REPLAYABLE_STATES)} AS ended, ${agentGone(sql`j.agent_slug`)} AS gone
    FROM job j WHERE j.job_id = ${job_id} FOR SHARE OF j`)
  return rows[0]
}

function whyNot({ status, agent_slug, ended, gone }: Source): Refusal | null {
  if (!ended)
    return {
      code: 'INVALID_TRANSITION',
      message: `Only a job that has ended can be replayed; this one is ${status}.`,
      details: { from: status, event: 'replay', allowed: REPLAYABLE_STATES },
    }
  return gone
    ? {
        code: 'AGENT_NOT_ACTIVE',
        message: `The agent ${agent_slug} is archived, so nobody would take the job. Restore and activate it first.`,
      }
    : null
}

type Denied = { source: Source; why: Refusal; reason: string }

async function refused(db: Db, { source, why, reason }: Denied, caller: Caller): Promise<Result<never>> {
  await recordEvent(db, {
    name: 'job.replayed',
    actor: caller,
    reason,
    outcome: 'refused',
    errorCode: why.code,
    resource: { type: 'job', id: source.job_id },
    refs: { job_id: source.job_id, agent: source.agent_slug },
  })
  return refuse(why)
}
