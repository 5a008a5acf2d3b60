import sql, { type Sql } from 'sql-template-tag'
import {
  COUNT_CAP,
  type CountView,
  type JobBulkFilter,
  type JobCounts,
  type JobListInput,
  type JobPage,
} from '#contracts/job.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { type JobState, jobMachine } from '#domain/job/job.machine.ts'
import { FAILURE_KIND_OF } from '#domain/job/job.rules.ts'
import { requireAuthority } from '#server/ledger/authority-check.ts'
import { ledgerNow } from '#server/ledger/clock.ts'
import { keyset } from '#server/ledger/list.ts'
import { type Listing, listPage } from '#server/ledger/list-page.ts'
import { columns } from '#server/ledger/rows.ts'
import { states } from '#server/ledger/states.ts'
import type { Services } from '#server/services.ts'
import { jobCounts } from './job-counts.ts'
import { holds, jobSearch } from './job-text.ts'
import { jobView, VIEWED, type ViewRow, viewFactsOf } from './job-view.ts'
import type { GatewayEnv } from './nlm-client.ts'

/** The order of every list of jobs. */
export const newestJobs = keyset('job', 'newest', { created_at: 'time', job_id: 'uuid' }, 'desc')

/** A page of jobs, newest first, with the ledger's clock, which countdowns run against; throws for a component that may not read them all. */
export async function listJobs(
  { db, env, reads }: Pick<Services, 'db' | 'reads'> & { env: GatewayEnv },
  input: JobListInput,
  caller: Caller,
): Promise<JobPage> {
  await requireAuthority(db, caller, 'job', 'read', { own: false })
  const found = await listPage<ViewRow>(db, jobListing(input), input.limit)
  const page = newestJobs.page(found, input.limit)
  const [facts, now] = await Promise.all([viewFactsOf({ db, reads }, page.rows), ledgerNow(db)])
  return {
    items: page.rows.map((row) => jobView(row, facts, env)),
    next_cursor: page.next_cursor,
    now: now.toISOString(),
  }
}

export function jobListing({ cursor, limit: _, q, ...filter }: JobListInput): Listing {
  const text = q?.trim()
  return {
    columns: columns('job', 'o', VIEWED),
    from: sql`job o`,
    where: [...jobsWhere(filter), newestJobs.after('o', cursor)],
    order: newestJobs.order('o'),
    search: text ? jobSearch(text) : null,
  }
}

/** The conditions by which a filter means a job `o`; an empty filter has none. */
export function jobsWhere(filter: JobBulkFilter): Sql[] {
  const { status, type, agent, run, failure, cancelled, code, phase, ids, from, to } = filter
  const text = filter.q?.trim()
  const is = (value: string | undefined, column: Sql) => (value ? [sql`${column} = ${value}`] : [])
  return [
    ...(isSome(status) ? [sql`o.status IN ${states(jobMachine, ...status)}`] : []),
    ...is(type, sql`o.job_type`),
    ...is(agent, sql`o.agent_slug`),
    ...is(run, sql`o.run_id`),
    ...is(failure, sql`o.failure_kind`),
    ...(code || phase ? endedBy(code, phase) : []),
    ...(cancelled ? [sql`o.failure_kind IS DISTINCT FROM ${FAILURE_KIND_OF.cancel}`] : []),
    ...(ids ? [sql`o.job_id = ANY(${ids}::uuid[])`] : []),
    ...(from ? [sql`o.created_at >= ${new Date(from)}`] : []),
    ...(to ? [sql`o.created_at < ${new Date(to)}`] : []),
    ...(text ? [holds(text)] : []),
  ]
}

const isSome = <T>(list: readonly T[] | undefined): list is [T, ...T[]] => (list?.length ?? 0) > 0

/** The states in which a job has failed for now: those of the groups of failures. */
export const ENDED_BADLY = ['FAILED', 'DEAD'] as const satisfies readonly JobState[]

/** Jobs that ended with this error, along `job_failure_group`; one that is retried has an error too, but has not ended. */
function endedBy(code: string | undefined, phase: string | undefined): Sql[] {
  return [
    sql`o.status IN ${states(jobMachine, ...ENDED_BADLY)}`,
    ...(code ? [sql`o.error #> '{code}' = ${JSON.stringify(code)}::jsonb`] : []),
    ...(phase ? [sql`o.error #> '{phase}' = ${JSON.stringify(phase)}::jsonb`] : []),
  ]
}

/**
 * Jobs by state, cancelled ones apart from the FAILED; exact below 10 000 each; above that counting stops, so the cost stays bounded. SQL: a cap
 * inside each count.
 */
export async function countJobs({ db }: Pick<Services, 'db'>, caller: Caller): Promise<JobCounts> {
  await requireAuthority(db, caller, 'job', 'read', { own: false })
  const { rows } = await db.query<{ name: string; n: number }>(jobCounts(COUNT_CAP))
  const views = Object.fromEntries(rows.map((row) => [row.name, capped(row.n)]))
  const { cancelled, ...by_status } = views as JobCounts['by_status'] & Pick<JobCounts, 'cancelled'>
  const all = Object.values(views)
  const total = { count: all.reduce((sum, view) => sum + view.count, 0), exact: all.every((v) => v.exact) }
  return { by_status, cancelled, total }
}

const capped = (n: number): CountView => ({ count: n, exact: n < COUNT_CAP })
