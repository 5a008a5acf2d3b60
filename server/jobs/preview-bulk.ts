import { createHash, randomBytes } from 'node:crypto'
import sql, { type Sql } from 'sql-template-tag'
import {
  BULK_LIMIT,
  BULK_TYPED_ABOVE,
  COUNT_CAP,
  type JobBulkPreview,
  type JobBulkPreviewInput,
} from '#contracts/job.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { jobMachine } from '#domain/job/job.machine.ts'
import { JOB_ACTION_EVENTS } from '#domain/job/job.rules.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'
import { whereAll } from '#server/ledger/list.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { jobView, VIEW_COLUMNS, type ViewRow } from './job-view.ts'
import { jobConditions, newestJobs } from './list-jobs.query.ts'

const SAMPLE = 10

/** SHA-256 under which a preview's token is kept. */
export const bulkTokenHash = (token: string): string => createHash('sha256').update(token).digest('hex')

/**
 * Freezes the jobs that the filter matches and the action may touch, newest first, at most 1 000, and shows what is left out. Nothing
 * changes until the token comes back. A filter without any condition is refused.
 */
export async function previewBulk(
  { db }: Pick<Services, 'db'>,
  { action, filter }: JobBulkPreviewInput,
  caller: Caller,
): Promise<Result<JobBulkPreview>> {
  const where = jobConditions(filter)
  if (where.length === 0) {
    return refuse({
      code: 'VALIDATION_FAILED',
      message: 'The filter is empty. Choose at least one condition.',
      details: [{ field: 'filter', message: 'must not be empty' }],
    })
  }
  const from = [...(jobMachine.events[JOB_ACTION_EVENTS[action]].from ?? [])]
  const matched = [...where, sql`j.status = ANY(${from}::text[])`]
  const ids = await matchedIds(db, matched)
  const frozen = ids.slice(0, BULK_LIMIT)
  if (frozen.length === 0) return refuse({ code: 'NOT_FOUND', message: 'No matching job can be changed.' })
  const token = randomBytes(32).toString('base64url')
  const expiresAt = await freeze(db, { token, action, identity: caller.identity, ids: frozen })
  const excluded = await excludedByStatus(db, [...where, sql`j.status <> ALL(${from}::text[])`])
  return ok({
    token,
    action,
    count: frozen.length,
    sample: await sampleOf(db, frozen),
    excluded: Object.values(excluded).reduce((a, b) => a + b, 0),
    excluded_by_status: excluded,
    truncated: ids.length > BULK_LIMIT,
    needs_typed_count: frozen.length > BULK_TYPED_ABOVE,
    expires_at: expiresAt.toISOString(),
  })
}

async function matchedIds(db: Db, where: Sql[]): Promise<string[]> {
  const { rows } = await db.query<Row<'job', 'job_id'>>(
    sql`SELECT j.job_id FROM job j ${whereAll(...where)} ORDER BY ${newestJobs.order('j')} LIMIT ${BULK_LIMIT + 1}`,
  )
  return rows.map((r) => r.job_id)
}

type Frozen = { token: string; ids: string[] } & Row<'job_bulk', 'action' | 'identity'>

async function freeze(db: Db, { token, action, identity, ids }: Frozen): Promise<Date> {
  const { rows } = await db.query<
    Row<'job_bulk', 'expires_at'>
  >(sql`INSERT INTO job_bulk (token_hash, action, identity, job_ids)
    VALUES (${bulkTokenHash(token)}, ${action}, ${identity}, ${ids}::uuid[]) RETURNING expires_at`)
  return rows[0]?.expires_at as Date
}

async function excludedByStatus(db: Db, where: Sql[]): Promise<Record<string, number>> {
  const { rows } = await db.query<Row<'job', 'status'> & { n: number }>(sql`SELECT status, count(*) AS n
    FROM (SELECT j.status FROM job j ${whereAll(...where)} LIMIT ${COUNT_CAP}) s GROUP BY status`)
  return Object.fromEntries(rows.map((r) => [r.status, r.n]))
}

async function sampleOf(db: Db, ids: string[]): Promise<JobBulkPreview['sample']> {
  const { rows } =
    await db.query<ViewRow>(sql`SELECT ${VIEW_COLUMNS} FROM job j WHERE j.job_id = ANY(${ids.slice(0, SAMPLE)}::uuid[])
    ORDER BY ${newestJobs.order('j')}`)
  return rows.map(jobView)
}
