import sql from 'sql-template-tag'
import { type Caller, ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import type { JobEvent } from '#domain/job/job.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { LeaseRef } from './job-row.ts'

/** Records that a holder came too late: its fence is old, or the job has left the state that it wrote from ([jobs#I-J3]). */
export async function recordRefusedWrite(
  db: Db,
  lease: LeaseRef,
  event: JobEvent,
  actor: Caller = ORCHESTRATION_LAYER,
): Promise<void> {
  const { rows } = await db.query<Row<'job', 'status' | 'fence' | 'agent_slug'>>(
    sql`SELECT status, fence, agent_slug FROM job WHERE job_id = ${lease.job_id}`,
  )
  const job = rows[0]
  if (!job) return
  await recordEvent(db, {
    name: 'job.write.refused',
    actor,
    resource: { type: 'job', id: lease.job_id },
    outcome: 'refused',
    errorCode: 'FENCE_STALE',
    from: job.status,
    refs: { job_id: lease.job_id, agent: job.agent_slug },
    details: { event, fence: lease.fence, current_fence: job.fence },
  })
}
