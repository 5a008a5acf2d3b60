import sql from 'sql-template-tag'
import { REAPER } from '#domain/authority/caller.ts'
import type { Services } from '#server/composition/services.ts'
import { move } from '#server/ledger/move.ts'
import { type Hold, RELEASED, WITH_ERROR } from './held-job.ts'
import type { NlmClient } from './nlm-client.ts'
import { outcomeOfView } from './poll-backend.ts'
import { errorOf, exhaustJobs, restUntil } from './rest-job.ts'
import { settleCall } from './settle-call.ts'

const BATCH = 200

/**
 * J12: jobs whose lease has passed on the database's clock rest, under a higher fence, so that whatever their holder still writes is
 * refused. For calls the NotebookLM Backend is asked once first: an error that it reports is the better reason (page 02, section 2.3).
 * The oldest leases go first; several reapers share the work row by row. Returns how many jobs were taken from their holders.
 */
export async function reapLeases(
  services: Pick<Services, 'db' | 'database'>,
  nlm?: Pick<NlmClient, 'job'>,
): Promise<number> {
  const settled = nlm ? await askFirst(services, nlm) : 0
  return settled + (await loseLeases(services))
}

async function askFirst(
  services: Pick<Services, 'db' | 'database'>,
  nlm: Pick<NlmClient, 'job'>,
): Promise<number> {
  const { rows } = await services.db.query<Hold>(sql`SELECT job_id, fence FROM job
    WHERE status = 'NOTEBOOKLM_CALL' AND lease_expires_at < clock_timestamp() ORDER BY lease_expires_at LIMIT 32`)
  const moved = await Promise.all(
    rows.map(async (job) => {
      const view = await nlm.job(job.job_id)
      const outcome = view?.state === 'ERROR' ? outcomeOfView(view) : null
      return outcome ? settleCall(services, job, outcome) : false
    }),
  )
  return moved.filter(Boolean).length
}

function loseLeases({ database }: Pick<Services, 'database'>): Promise<number> {
  return database.transaction(async (tx) => {
    const lost = await move<{ job_id: string; attempt: number; max_attempts: number }>(tx, {
      machine: 'job',
      event: 'lease_lost',
      actor: REAPER,
      where: sql`o.lease_expires_at < clock_timestamp()`,
      batch: { order: sql`o.lease_expires_at`, limit: BATCH },
      set: sql`fence = t.fence + 1, error = ${errorOf({ code: 'LEASE_LOST', message: 'the worker that held this job went away' }, true)},
        not_before = ${restUntil()}, wait_reason = 'backoff', ${RELEASED}`,
      errorCode: 'LEASE_LOST',
      details: WITH_ERROR,
      returning: sql`m.job_id, m.attempt, m.max_attempts`,
    })
    const spent = lost.filter((job) => job.attempt >= job.max_attempts).map((job) => job.job_id)
    if (spent.length > 0) await exhaustJobs(tx, sql`o.job_id = ANY(${spent}::uuid[])`)
    return lost.length
  })
}
