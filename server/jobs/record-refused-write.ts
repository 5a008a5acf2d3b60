import sql from 'sql-template-tag'
import { type Caller, ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import type { JobEvent } from '#domain/job/job.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Hold } from './held-job.ts'

/** Records that a holder came too late: its fence is old, or the job has left the state that it wrote from (page 02, section 2.3). */
export async function recordRefusedWrite(
  db: Db,
  hold: Hold,
  event: JobEvent,
  actor: Caller = ORCHESTRATION_LAYER,
): Promise<void> {
  const { rows } = await db.query<{ status: string; fence: number; agent_slug: string }>(
    sql`SELECT status, fence, agent_slug FROM job WHERE job_id = ${hold.job_id}`,
  )
  const job = rows[0]
  if (!job) return
  await recordEvent(db, {
    name: 'job.write.refused',
    actor,
    resource: { type: 'job', id: hold.job_id },
    outcome: 'refused',
    errorCode: 'FENCE_STALE',
    from: job.status,
    refs: { job_id: hold.job_id, agent: job.agent_slug },
    details: { event, fence: hold.fence, current_fence: job.fence },
  })
}
