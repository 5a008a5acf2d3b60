import sql from 'sql-template-tag'
import { BULK_TYPED_ABOVE, type JobBulkExecuteInput, type JobBulkResult } from '#contracts/job.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { jobMachine } from '#domain/job/job.machine.ts'
import { JOB_ACTION_EVENTS } from '#domain/job/job.rules.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import type { NlmClient } from './nlm-client.ts'
import { operateFault, operateJobs, stopCalls } from './operate-job.ts'
import { bulkTokenHash } from './preview-bulk.ts'

/**
 * Carries out a previewed action on exactly the set that was frozen, in one transaction: once, for the person who saw it, within ten
 * minutes; above 100 jobs only with the count typed. Jobs that moved on meanwhile stay as they are and are listed.
 */
export async function executeBulk(
  { db }: Pick<Services, 'db'>,
  input: JobBulkExecuteInput,
  caller: Caller,
  nlm?: Pick<NlmClient, 'cancel'>,
): Promise<Result<JobBulkResult>> {
  const fault = await operateFault(db, caller)
  if (fault) return refuse(fault)
  const { moved, result } = await db.transaction(async (tx) => {
    const { action, job_ids } = await redeem(tx, input, caller)
    const which = sql`o.job_id = ANY(${job_ids}::uuid[])`
    const moved = await operateJobs(tx, action, which, { reason: input.reason, caller })
    const done = moved.map(({ job_id }) => job_id)
    const skipped = await skippedOf(tx, job_ids, done)
    const status = jobMachine.events[JOB_ACTION_EVENTS[action]].to
    const changed = done.map((job_id) => ({ job_id, status }))
    return { moved, result: { action, requested: job_ids.length, done: done.length, changed, skipped } }
  })
  if (result.action === 'cancel') stopCalls(nlm, moved)
  return ok(result)
}

async function redeem(
  tx: Db,
  { token, typed_count }: JobBulkExecuteInput,
  caller: Caller,
): Promise<Row<'job_bulk', 'action' | 'job_ids'>> {
  const { rows } = await tx.query<
    Row<'job_bulk', 'action' | 'job_ids'>
  >(sql`UPDATE job_bulk SET used_at = clock_timestamp()
    WHERE token_hash = ${bulkTokenHash(token)} AND identity = ${caller.identity} AND used_at IS NULL AND expires_at > clock_timestamp()
    RETURNING action, job_ids`)
  const frozen = rows[0]
  if (!frozen)
    throw new Refused('NOT_FOUND', 'This preview was used, has expired, or is not yours. Preview again.')
  const { length } = frozen.job_ids
  if (length > BULK_TYPED_ABOVE && typed_count !== length) {
    throw new Refused('VALIDATION_FAILED', `Type the number of jobs, ${length}, to confirm.`, [
      { field: 'typed_count', message: `must be ${length}` },
    ])
  }
  return frozen
}

async function skippedOf(tx: Db, ids: string[], done: string[]): Promise<JobBulkResult['skipped']> {
  const left = ids.filter((id) => !done.includes(id))
  if (left.length === 0) return []
  const { rows } = await tx.query<Row<'job', 'job_id' | 'status'>>(
    sql`SELECT job_id, status FROM job WHERE job_id = ANY(${left}::uuid[])`,
  )
  return rows
}
