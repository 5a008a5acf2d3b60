import sql from 'sql-template-tag'
import {
  BULK_TYPED_ABOVE,
  type JobAction,
  type JobBulkExecuteInput,
  type JobBulkResult,
} from '#contracts/job.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { may } from '#domain/authority/matrix.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Services } from '#server/composition/services.ts'
import type { Db } from '#server/ledger/database.ts'
import { operate } from './operate-job.ts'
import { bulkTokenHash, OPERATION } from './preview-bulk.ts'

/**
 * Carries out a previewed command on exactly the set that was frozen, in one transaction: once, for the person who saw it, within ten
 * minutes; above 100 jobs only with the count typed. Jobs that moved on meanwhile are left as they are and named.
 */
export async function executeBulk(
  { database, hints }: Pick<Services, 'database' | 'hints'>,
  input: JobBulkExecuteInput,
  caller: Caller,
): Promise<Result<JobBulkResult>> {
  if (!may(caller.role, 'job.operate')) return refuse({ code: 'FORBIDDEN', message: 'Not enough rights.' })
  const result = await database.transaction(async (tx) => {
    const { action, ids } = await redeem(tx, input, caller)
    const done = await operate(
      tx,
      OPERATION[action],
      sql`o.job_id = ANY(${ids}::uuid[])`,
      input.reason,
      caller,
    )
    return { action, requested: ids.length, done: done.length, skipped: await skippedOf(tx, ids, done) }
  })
  for (const topic of ['jobs', 'runs', 'events'] as const) hints.hint(topic)
  return ok(result)
}

async function redeem(
  tx: Db,
  { token, typed_count }: JobBulkExecuteInput,
  caller: Caller,
): Promise<{ action: JobAction; ids: string[] }> {
  const { rows } = await tx.query<{
    action: JobAction
    job_ids: string[]
  }>(sql`UPDATE job_bulk SET used_at = clock_timestamp()
    WHERE token_hash = ${bulkTokenHash(token)} AND identity = ${caller.identity} AND used_at IS NULL AND expires_at > clock_timestamp()
    RETURNING action, job_ids`)
  const frozen = rows[0]
  if (!frozen) throw new Refused('NOT_FOUND', 'This preview is used, too old, or not yours. Preview again.')
  const { length } = frozen.job_ids
  if (length > BULK_TYPED_ABOVE && typed_count !== length) {
    throw new Refused('VALIDATION_FAILED', `Type the number of jobs, ${length}, to confirm.`, [
      { field: 'typed_count', message: `must be ${length}` },
    ])
  }
  return { action: frozen.action, ids: frozen.job_ids }
}

async function skippedOf(tx: Db, ids: string[], done: string[]): Promise<JobBulkResult['skipped']> {
  const left = ids.filter((id) => !done.includes(id))
  if (left.length === 0) return []
  const { rows } = await tx.query<{ job_id: string; status: string }>(
    sql`SELECT job_id, status FROM job WHERE job_id = ANY(${left}::uuid[])`,
  )
  return rows
}
