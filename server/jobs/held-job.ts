/**
 * The job queue (contract page 02; page 11, J1–J12). Who writes what:
 *
 *   submit-job        PENDING, in the transaction of its cause              J1
 *   admit-jobs        PENDING → QUEUED or FAILED                            J2, J3
 *   pick-up-jobs      QUEUED → CONTEXT_ASSEMBLY, one active job an agent    J4
 *   ready-contexts    CONTEXT_ASSEMBLY → NOTEBOOKLM_CALL                    J5
 *   rest-job          an active state → RETRY_BACKOFF (→ FAILED)            J6, J8, J11, J14
 *   end-job           NOTEBOOKLM_CALL → FAILED                              J9
 *   commit-answers    NOTEBOOKLM_CALL → ARTIFACT_WRITE → COMPLETE           J7, J10 with the artifact row
 *   reap-leases       an active state whose lease has passed → RETRY_BACKOFF J12
 *   wake-jobs         RETRY_BACKOFF → QUEUED                                J13
 *   bury-jobs         FAILED → DEAD                                         J15
 *   cancel/fail/requeue-job, execute-bulk                                   J16–J18
 *
 * Every move of an active job names the fence under which its holder works. The fence grows with each claim, reap and operator's
 * command, so whoever was too slow moves nothing: zero rows, recorded as `job.write.refused`. What fails on the way (a worker, the
 * backend, the store, a lost answer) ends in RETRY_BACKOFF by its phase limit or its lease; nothing is decided in memory.
 */
import sql, { type Sql } from 'sql-template-tag'
import type { JobError } from '#contracts/job.contract.ts'
import { jobMachine } from '#domain/job/job.machine.ts'
import type { FailureKind, JobType } from '#domain/job/job.rules.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import { states } from '#server/ledger/states.ts'

declare module '#server/ledger/rows.ts' {
  interface Shapes {
    job: {
      job_type: JobType
      priority: 'normal' | 'high'
      payload: Record<string, unknown>
      failure_kind: FailureKind | null
      error: JobError | null
    }
  }
}

const HELD = [
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

/** A job under a lease, as its holder works with it; `held_at` is the database's clock at the claim. */
export type HeldJob = Row<'job', (typeof HELD)[number]> & { held_at: Date }

/** What names a holder's write: the job and the fence it works under. */
export type Hold = { job_id: string; fence: number }

export const HELD_COLUMNS: Sql = sql`${columns('job', 'm', HELD)}, clock_timestamp() AS held_at`

/** The states under a lease, as SQL that the partial indexes match. */
export const ACTIVE: Sql = states(jobMachine, 'CONTEXT_ASSEMBLY', 'NOTEBOOKLM_CALL', 'ARTIFACT_WRITE')

/** What every event of a job says of it. */
export const AT_FENCE: Sql = sql`jsonb_build_object('attempt', m.attempt, 'fence', m.fence)`

/** The same with the failure and the rest it began, if there is one. */
export const WITH_ERROR: Sql = sql`jsonb_strip_nulls(jsonb_build_object('attempt', m.attempt, 'fence', m.fence, 'error', m.error,
  'backoff_seconds', CASE WHEN m.status = 'RETRY_BACKOFF' AND m.attempt < m.max_attempts THEN round(extract(epoch FROM m.not_before - m.updated_at)) END))`

/** Nobody holds the job any more. */
export const RELEASED: Sql = sql`lease_holder = NULL, lease_expires_at = NULL, phase_deadline = NULL, poll_at = NULL, write_token_hash = NULL`
