import sql from 'sql-template-tag'
import { ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import type { Db } from '#server/ledger/database.ts'
import { move } from '#server/ledger/move.ts'
import { WITH_ERROR } from './held-job.ts'
import { exhaustJobs } from './rest-job.ts'

/**
 * J15: exhausted jobs go to the dead letters with the next sweep. Resting jobs without a retry left, which a lowered limit could
 * leave behind, end first (J14). Returns how many were buried.
 */
export async function buryJobs(db: Db, limit = 500): Promise<number> {
  const rows = await move(db, {
    machine: 'job',
    event: 'bury',
    actor: ORCHESTRATION_LAYER,
    where: sql`o.failure_kind = 'exhausted'`,
    batch: { order: sql`o.updated_at`, limit },
    details: WITH_ERROR,
    returning: sql`m.job_id`,
  })
  await exhaustJobs(db, sql`true`, limit)
  return rows.length
}
