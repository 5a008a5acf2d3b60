import sql, { join } from 'sql-template-tag'
import { z } from 'zod'
import {
  COUNT_CAP,
  type CountView,
  type JobCounts,
  type JobFilter,
  type JobListInput,
  type JobPage,
} from '#contracts/job.contract.ts'
import { jobMachine } from '#domain/job/job.machine.ts'
import type { Prisma } from '#prisma/generated/client.ts'
import { ledgerNow } from '#server/ledger/clock.ts'
import { keyset, like } from '#server/ledger/list.ts'
import { type Row, rowsOf } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { jobView, VIEW_SELECT, waitsOf } from './job-view.ts'
import type { GatewayEnv } from './nlm-client.ts'

/** The order of every list of jobs. */
export const newestJobs = keyset('job', 'newest', { created_at: 'time', job_id: 'uuid' }, 'desc')

/** A page of jobs, newest first, with the ledger's clock, which countdowns run against. */
export async function listJobs(
  { db, env, reads }: Pick<Services, 'db' | 'reads'> & { env: GatewayEnv },
  { cursor, limit, ...filter }: JobListInput,
): Promise<JobPage> {
  const found = await reads.job.findMany({
    select: VIEW_SELECT,
    ...newestJobs.slice(jobsWhere(filter), { cursor, limit }),
  })
  const page = newestJobs.page(rowsOf('job', found), limit)
  const [waits, now] = await Promise.all([waitsOf(reads, page.rows), ledgerNow(db)])
  return {
    items: page.rows.map((row) => jobView(row, waits, env)),
    next_cursor: page.next_cursor,
    now: now.toISOString(),
  }
}

/** The jobs that a filter means; an empty filter has no condition. */
export function jobsWhere({
  status,
  type,
  agent,
  run,
  failure,
  from,
  to,
  q,
}: JobFilter): Prisma.JobWhereInput {
  return {
    ...(status?.length && { status: { in: status } }),
    ...(type && { job_type: type }),
    ...(agent && { agent_slug: agent }),
    ...(run && { run_id: run }),
    ...(failure && { failure_kind: failure }),
    ...((from || to) && {
      created_at: { ...(from && { gte: new Date(from) }), ...(to && { lt: new Date(to) }) },
    }),
    ...(q?.trim() && textIs(q.trim())),
  }
}

const LOWEST = '00000000-0000-0000-0000-000000000000'
const HIGHEST = LOWEST.replaceAll('0', 'f')

/** Part of the question, or the beginning of an id. */
function textIs(q: string): Prisma.JobWhereInput {
  const titled: Prisma.JobWhereInput = { title: { contains: like(q), mode: 'insensitive' } }
  const [first, last] = [LOWEST, HIGHEST].map((id) => q + id.slice(q.length))
  const isPrefix = q.length >= 4 && z.guid().safeParse(first).success
  return isPrefix ? { OR: [titled, { job_id: { gte: first as string, lte: last as string } }] } : titled
}

/** Jobs by state, exact below 10 000 each; above that counting stops, so the cost stays bounded. SQL: a cap inside each count. */
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
