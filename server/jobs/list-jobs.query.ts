/** The list of jobs and their counts. Typed SQL: why a job waits is a correlated column, an id is found by its prefix, counts are capped. */
import sql, { join, type Sql } from 'sql-template-tag'
import {
  COUNT_CAP,
  type CountView,
  type JobCounts,
  type JobFilter,
  type JobListInput,
  type JobPage,
} from '#contracts/job.contract.ts'
import { jobMachine } from '#domain/job/job.machine.ts'
import { keyset, like, whereAll } from '#server/ledger/list.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { jobView, VIEW_COLUMNS, type ViewRow } from './job-view.ts'

/** The order of every list of jobs. */
export const newestJobs = keyset('job', 'newest', { created_at: 'time', job_id: 'uuid' }, 'desc')

/** A page of jobs, newest first, with the ledger's clock, which countdowns run against. */
export async function listJobs(
  { db }: Pick<Services, 'db'>,
  { cursor, limit, ...filter }: JobListInput,
): Promise<JobPage> {
  const where = whereAll(...jobConditions(filter), newestJobs.after('j', cursor))
  const { rows } = await db.query<ViewRow>(sql`SELECT ${VIEW_COLUMNS} FROM job j ${where}
    ORDER BY ${newestJobs.order('j')} LIMIT ${limit + 1}`)
  const page = newestJobs.page(rows, limit)
  return {
    items: page.rows.map(jobView),
    next_cursor: page.next_cursor,
    now: rows[0]?.now.toISOString() ?? (await ledgerNow({ db })),
  }
}

/** The conditions of a filter over the job `j`; an empty filter has none. */
export function jobConditions(filter: JobFilter): Sql[] {
  const where: Sql[] = []
  if (filter.status?.length) where.push(statusIs(filter.status))
  if (filter.type) where.push(sql`j.job_type = ${filter.type}`)
  if (filter.agent) where.push(sql`j.agent_slug = ${filter.agent}`)
  if (filter.run) where.push(sql`j.run_id = ${filter.run}`)
  if (filter.failure) where.push(sql`j.failure_kind = ${filter.failure}`)
  if (filter.from) where.push(sql`j.created_at >= ${new Date(filter.from)}`)
  if (filter.to) where.push(sql`j.created_at < ${new Date(filter.to)}`)
  const q = filter.q?.trim()
  if (q) where.push(textIs(q))
  return where
}

const statusIs = (states: readonly string[]): Sql =>
  states.length === 1 ? sql`j.status = ${states[0]}` : sql`j.status = ANY(${[...states]}::text[])`

/** Part of the question, or the beginning of an id. */
function textIs(q: string): Sql {
  const found = [sql`j.title ILIKE ${`%${like(q)}%`}`]
  if (/^[0-9a-f-]{4,36}$/i.test(q)) found.push(sql`j.job_id::text LIKE ${`${q.toLowerCase()}%`}`)
  return sql`(${join(found, ' OR ')})`
}

/** Jobs by state, exact below 10 000 each; above that counting stops, so the cost stays bounded. */
export async function countJobs({ db }: Pick<Services, 'db'>): Promise<JobCounts> {
  const parts = jobMachine.states.map(
    (state) =>
      sql`SELECT ${state}::text AS status, (SELECT count(*) FROM (SELECT 1 FROM job WHERE status = ${state} LIMIT ${COUNT_CAP}) c) AS n`,
  )
  const { rows } = await db.query<Row<'job', 'status'> & { n: number }>(join(parts, ' UNION ALL '))
  const views = rows.map((row) => [row.status, capped(row.n)] as const)
  const total = views.reduce((sum, [, view]) => sum + view.count, 0)
  return {
    by_status: Object.fromEntries(views) as JobCounts['by_status'],
    total: { count: total, exact: views.every(([, view]) => view.exact) },
  }
}

const capped = (n: number): CountView => ({ count: n, exact: n < COUNT_CAP })

async function ledgerNow({ db }: Pick<Services, 'db'>): Promise<string> {
  const { rows } = await db.query<{ now: Date }>(sql`SELECT clock_timestamp() AS now`)
  return (rows[0]?.now ?? new Date(0)).toISOString()
}
