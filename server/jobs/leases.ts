/** Leases of active jobs: renewal, transfer, phase limits, and what becomes of the jobs of dead holders ([jobs#leases-and-fences]). */
import sql, { type Sql } from 'sql-template-tag'
import { REAPER } from '#domain/authority/caller.ts'
import type { ActiveJobState } from '#domain/job/job.machine.ts'
import type { JobErrorCode } from '#domain/job/job.rules.ts'
import { LEASE_SECONDS, PHASE_LIMIT_SECONDS } from '#domain/job/job.rules.ts'
import { nlmWorkMachine } from '#domain/nlm/nlm-work.machine.ts'
import { fromNow } from '#server/ledger/clock.ts'
import type { Db } from '#server/ledger/database.ts'
import { transition } from '#server/ledger/transition.ts'
import type { Services } from '#server/services.ts'
import { handleCallOutcome, outcomeOfView } from './backend-call.ts'
import { ACTIVE, CALLING, type LeaseRef, RELEASE_LEASE, WITH_ERROR } from './job-row.ts'
import type { NlmClient } from './nlm-client.ts'
import { type BackoffEvent, backOffJob, backoffEnd, errorOf, failExhaustedJobs } from './retry.ts'

/** The holder of a job that a stopping worker gave away: any live worker takes it with its next heartbeat. */
const UNCLAIMED = ''
const BATCH = 200

/**
 * Renews every lease of this worker and takes those that a stopping worker gave away. A lease that has expired is never renewed: it is the
 * reaper's. Returns how many leases are held.
 */
export async function heartbeatLeases(db: Db, holder: string): Promise<number> {
  const { rowCount } =
    await db.query(sql`UPDATE job j SET lease_holder = ${holder}, lease_expires_at = ${fromNow(LEASE_SECONDS)}
    FROM (${liveLeases(sql`status IN ${ACTIVE} AND lease_holder IN (${holder}, ${UNCLAIMED})`)}) live WHERE j.job_id = live.job_id`)
  return rowCount ?? 0
}

/**
 * A worker that stops gives away the jobs which only wait for the NotebookLM Backend: their write tokens stay valid, no attempt is lost.
 * If no worker takes them, their leases expire and the reaper comes. Returns how many.
 */
export async function transferLeases(db: Db, holder: string): Promise<number> {
  const { rowCount } = await db.query(sql`UPDATE job j SET lease_holder = ${UNCLAIMED}
    FROM (${liveLeases(sql`status = ${CALLING} AND lease_holder = ${holder}`)}) live WHERE j.job_id = live.job_id`)
  return rowCount ?? 0
}

/**
 * Jobs whose lease has not expired, locked in the order in which transitions lock theirs ([ledger#transitions]): in any other order a
 * heartbeat and a transition of several jobs could wait for each other. Nothing is skipped, since a lease that is not renewed ends.
 */
const liveLeases = (which: Sql): Sql =>
  sql`SELECT job_id FROM job WHERE ${which} AND lease_expires_at > clock_timestamp() ORDER BY job_id FOR UPDATE`

type Overrun = { event: BackoffEvent; code: JobErrorCode; message: string }

/** How an overrun of each phase ends ([jobs#leases-and-fences]). */
const OVERRUN: Record<ActiveJobState, Overrun> = {
  CONTEXT_ASSEMBLY: {
    event: 'context_timeout',
    code: 'CONTEXT_TIMEOUT',
    message: `The context was not ready within ${PHASE_LIMIT_SECONDS.CONTEXT_ASSEMBLY} s.`,
  },
  NOTEBOOKLM_CALL: {
    event: 'nlm_busy',
    code: 'NLM_TIMEOUT',
    message: `The NotebookLM Backend did not answer within ${PHASE_LIMIT_SECONDS.NOTEBOOKLM_CALL} s.`,
  },
  ARTIFACT_WRITE: {
    event: 'write_error',
    code: 'STORAGE_ERROR',
    message: `The artifact was not stored within ${PHASE_LIMIT_SECONDS.ARTIFACT_WRITE} s.`,
  },
}

/** Ends the phases of this worker's jobs that ran over their limits; a dead holder's jobs are the reaper's. Returns how many ended. */
export async function endOverduePhases({ db }: Pick<Services, 'db'>, holder: string): Promise<number> {
  const { rows } = await db.query<
    LeaseRef & { status: ActiveJobState }
  >(sql`SELECT job_id, fence, status FROM job
    WHERE status IN ${ACTIVE} AND lease_holder = ${holder} AND phase_deadline < clock_timestamp() AND lease_expires_at > clock_timestamp()
    ORDER BY phase_deadline LIMIT ${BATCH}`)
  let ended = 0
  for (const job of rows) {
    const overrun = OVERRUN[job.status]
    if (await backOffJob({ db }, overrun.event, job, overrun)) ended++
  }
  return ended
}

/**
 * J12: jobs whose lease has expired on the database's clock back off under a higher fence, so that whatever their holder still writes is
 * refused. For calls the NotebookLM Backend is asked once first: an error that it reports is the better reason. The oldest leases go first;
 * several reapers share the work row by row. Returns how many jobs were taken from their holders.
 */
export async function reapLeases(
  services: Pick<Services, 'db'>,
  nlm?: Pick<NlmClient, 'job'>,
): Promise<number> {
  const settled = nlm ? await askBackendFirst(services, nlm) : 0
  return settled + (await markLeasesLost(services))
}

async function askBackendFirst(services: Pick<Services, 'db'>, nlm: Pick<NlmClient, 'job'>): Promise<number> {
  const { rows } = await services.db.query<LeaseRef>(sql`SELECT job_id, fence FROM job
    WHERE status = ${CALLING} AND lease_expires_at < clock_timestamp() ORDER BY lease_expires_at LIMIT 32`)
  const moved = await Promise.all(
    rows.map(async (lease) => {
      const view = await nlm.job(lease.job_id)
      const outcome = view?.state === nlmWorkMachine.events.fail.to ? outcomeOfView(view) : null
      return outcome ? handleCallOutcome(services, lease, outcome) : false
    }),
  )
  return moved.filter(Boolean).length
}

function markLeasesLost({ db }: Pick<Services, 'db'>): Promise<number> {
  return db.transaction(async (tx) => {
    const lost = await transition(tx, {
      machine: 'job',
      event: 'lease_lost',
      actor: REAPER,
      where: sql`o.lease_expires_at < clock_timestamp()`,
      batch: { order: sql`o.lease_expires_at`, limit: BATCH },
      set: sql`fence = t.fence + 1, error = ${errorOf({ code: 'LEASE_LOST', message: 'The worker that held this job stopped responding.' }, true)},
        not_before = ${backoffEnd()}, wait_reason = 'backoff', ${RELEASE_LEASE}`,
      errorCode: 'LEASE_LOST',
      details: WITH_ERROR,
      returning: ['job_id', 'attempt', 'max_attempts'],
    })
    const spent = lost.filter((job) => job.attempt >= job.max_attempts).map((job) => job.job_id)
    if (spent.length > 0) await failExhaustedJobs(tx, sql`o.job_id = ANY(${spent}::uuid[])`)
    return lost.length
  })
}
