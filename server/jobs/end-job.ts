import sql from 'sql-template-tag'
import { ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import type { Db } from '#server/ledger/database.ts'
import { move } from '#server/ledger/move.ts'
import { type Hold, RELEASED, WITH_ERROR } from './held-job.ts'
import { errorOf, type JobFailure } from './rest-job.ts'

/** J9: the backend will never take this job (a fault of the payload or of the key); it stays FAILED (D4). True when it moved. */
export async function endJob(db: Db, hold: Hold, failure: JobFailure): Promise<boolean> {
  const rows = await move(db, {
    machine: 'job',
    event: 'fatal',
    actor: ORCHESTRATION_LAYER,
    where: sql`o.job_id = ${hold.job_id} AND o.fence = ${hold.fence}`,
    set: sql`error = ${errorOf(failure, false)}, failure_kind = 'invalid', finished_at = clock_timestamp(), ${RELEASED}`,
    errorCode: failure.code,
    details: WITH_ERROR,
    returning: sql`m.job_id`,
  })
  return rows.length > 0
}
