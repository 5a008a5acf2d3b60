/**
 * Rows of the job queue as its use-cases read and change them. Which file makes which transition stands in the README beside this file.
 *
 * Every write to an active job names the fence under which its holder works. The fence grows with each claim, reap and operator's command,
 * so a holder that was too slow changes zero rows; that is recorded as `job.write.refused` ([jobs#leases-and-fences]).
 */

import sql, { type Sql } from 'sql-template-tag'
import type { JobAction, JobError } from '#contracts/job.contract.ts'
import type { NlmErrorCode } from '#contracts/research.contract.ts'
import { agentMachine } from '#domain/agent/agent.machine.ts'
import { ACTIVE_JOB_STATES, jobMachine } from '#domain/job/job.machine.ts'
import type { FailureKind, JobType } from '#domain/job/job.rules.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import { state, states } from '#server/ledger/states.ts'

/** How the NotebookLM Backend says that its work failed. */
export type JobReport = { code: NlmErrorCode; message: string }

declare module '#server/ledger/rows.ts' {
  interface Shapes {
    job: {
      job_type: JobType
      priority: 'normal' | 'high'
      payload: Record<string, unknown>
      failure_kind: FailureKind | null
      error: JobError | null
    }
    job_bulk: { action: JobAction }
    job_callback: { error: JobReport | null }
  }
}

const LEASED = [
  'job_id',
  'status',
  'job_type',
  'agent_slug',
  'run_id',
  'payload',
  'reserved_artifact_id',
  'attempt',
  'max_attempts',
  'fence',
] as const

/** A job under a lease, as its holder works with it; `claimed_at` is the database's clock at the claim. */
export type LeasedJob = Row<'job', (typeof LEASED)[number]> & { claimed_at: Date }

/** What names a holder's write: the job and the fence it works under. */
export type LeaseRef = Row<'job', 'job_id' | 'fence'>

export const LEASED_COLUMNS: Sql = sql`${columns('job', 'm', LEASED)}, clock_timestamp() AS claimed_at`

/** The states of an agent whose jobs can never run again ([jobs#agents]), as SQL. */
export const AGENT_GONE: Sql = states(agentMachine, 'archived', 'deleted')

/** The states under a lease, as SQL that the partial indexes match. */
export const ACTIVE: Sql = states(jobMachine, ...ACTIVE_JOB_STATES)

/** The state of a job whose work is with the NotebookLM Backend. */
export const CALLING: Sql = state(jobMachine, 'NOTEBOOKLM_CALL')

/** What every event of a job records: its attempt and its fence. */
export const AT_FENCE: Sql = sql`jsonb_build_object('attempt', m.attempt, 'fence', m.fence)`

/** The same with the failure and the backoff it began, if there is one. */
export const WITH_ERROR: Sql = sql`jsonb_strip_nulls(jsonb_build_object('attempt', m.attempt, 'fence', m.fence, 'error', m.error,
  'backoff_seconds', CASE WHEN m.status = ${state(jobMachine, 'RETRY_BACKOFF')} AND m.attempt < m.max_attempts THEN round(extract(epoch FROM m.not_before - m.updated_at)) END))`

/** Gives up lease, phase deadline and write token. */
export const RELEASE_LEASE: Sql = sql`lease_holder = NULL, lease_expires_at = NULL, phase_deadline = NULL, poll_at = NULL, write_token_hash = NULL`
