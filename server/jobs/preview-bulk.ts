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
import { type Row, rowsOf } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { jobView, VIEW_SELECT, viewFactsOf } from './job-view.ts'
import { jobsWhere, newestJobs } from './list-jobs.query.ts'
import type { GatewayEnv } from './nlm-client.ts'
import { operateFault } from './operate-job.ts'

const SAMPLE = 10

/** SHA-256 under which a preview's token is kept. */
export const bulkTokenHash = (token: string): string => createHash('sha256').update(token).digest('hex')

/**
 * Freezes the jobs that the filter matches and the action may touch, newest first, at most 1 000, and shows what is left out. Nothing
 * changes until the token comes back. A filter without any condition is refused.
 */
export async function previewBulk(
  { db, env, reads }: Pick<Services, 'db' | 'reads'> & { env: GatewayEnv },
  { action, filter }: JobBulkPreviewInput,
  caller: Caller,
): Promise<Result<JobBulkPreview>> {
  const fault = await operateFault(db, caller)
  if (fault) return refuse(fault)
  const where = jobsWhere(filter)
  if (where.length === 0) {
    return refuse({
      code: 'VALIDATION_FAILED',
      message: 'The filter is empty. Choose at least one condition.',
      details: [{ field: 'filter', message: 'must not be empty' }],
    })
  }
  const mayChange = sql`o.status = ANY(${jobMachine.events[JOB_ACTION_EVENTS[action]].from ?? []}::text[])`
  const ids = await matchedIds(db, [...where, mayChange])
  const frozen = ids.slice(0, BULK_LIMIT)
  if (frozen.length === 0) return refuse({ code: 'NOT_FOUND', message: 'No matching job can be changed.' })
  const token = randomBytes(32).toString('base64url')
  const expiresAt = await freeze(db, { token, action, identity: caller.identity, ids: frozen })
  const excluded = await excludedByStatus(db, [...where, sql`NOT ${mayChange}`])
  return ok({
    token,
    action,
    count: frozen.length,
    sample: await sampleOf({ db, reads }, frozen, env),
    excluded: Object.values(excluded).reduce((a, b) => a + b, 0),
    excluded_by_status: excluded,
    truncated: ids.length > BULK_LIMIT,
    needs_typed_count: frozen.length > BULK_TYPED_ABOVE,
    expires_at: expiresAt.toISOString(),
  })
}

async function matchedIds(db: Db, where: readonly Sql[]): Promise<string[]> {
  const { rows } = await db.query<Row<'job', 'job_id'>>(
    sql`SELECT o.job_id FROM job o ${whereAll(...where)} ORDER BY ${newestJobs.order('o')} LIMIT ${BULK_LIMIT + 1}`,
  )
  return rows.map((row) => row.job_id)
}

type Frozen = { token: string; ids: string[] } & Row<'job_bulk', 'action' | 'identity'>

async function freeze(db: Db, { token, action, identity, ids }: Frozen): Promise<Date> {
  const { rows } = await db.query<
    Row<'job_bulk', 'expires_at'>
  >(sql`INSERT INTO job_bulk (token_hash, action, identity, job_ids)
    VALUES (${bulkTokenHash(token)}, ${action}, ${identity}, ${ids}::uuid[]) RETURNING expires_at`)
  return rows[0]?.expires_at as Date
}

async function excludedByStatus(db: Db, where: readonly Sql[]): Promise<Record<string, number>> {
  const { rows } = await db.query<Row<'job', 'status'> & { n: number }>(
    sql`SELECT o.status, count(*) AS n FROM (SELECT o.status FROM job o ${whereAll(...where)} LIMIT ${COUNT_CAP}) o GROUP BY o.status`,
  )
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]))
}

async function sampleOf(
  services: Pick<Services, 'db' | 'reads'>,
  ids: string[],
  env: GatewayEnv,
): Promise<JobBulkPreview['sample']> {
  const found = await services.reads.job.findMany({
    select: VIEW_SELECT,
    where: { job_id: { in: ids.slice(0, SAMPLE) } },
    orderBy: newestJobs.orderBy,
  })
  const rows = rowsOf('job', found)
  const facts = await viewFactsOf(services, rows)
  return rows.map((row) => jobView(row, facts, env))
}
