import { z } from 'zod'
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
import type { Prisma } from '#prisma/generated/client.ts'
import { requireAuthority } from '#server/ledger/authority-check.ts'
import { ledgerNow } from '#server/ledger/clock.ts'
import { keyset, like } from '#server/ledger/list.ts'
import { rowsOf } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { jobCounts } from './job-counts.ts'
import { jobView, VIEW_SELECT, viewFactsOf } from './job-view.ts'
import type { GatewayEnv } from './nlm-client.ts'

/** The order of every list of jobs. */
export const newestJobs = keyset('job', 'newest', { created_at: 'time', job_id: 'uuid' }, 'desc')

/** A page of jobs, newest first, with the ledger's clock, which countdowns run against; throws for a component that may not read them all. */
export async function listJobs(
  { db, env, reads }: Pick<Services, 'db' | 'reads'> & { env: GatewayEnv },
  { cursor, limit, ...filter }: JobListInput,
  caller: Caller,
): Promise<JobPage> {
  await requireAuthority(db, caller, 'job', 'read', { own: false })
  const found = await reads.job.findMany({
    select: VIEW_SELECT,
    ...newestJobs.slice(jobsWhere(filter), { cursor, limit }),
  })
  const page = newestJobs.page(rowsOf('job', found), limit)
  const [facts, now] = await Promise.all([viewFactsOf({ db, reads }, page.rows), ledgerNow(db)])
  return {
    items: page.rows.map((row) => jobView(row, facts, env)),
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
  cancelled,
  code,
  phase,
  ids,
  from,
  to,
  q,
}: JobBulkFilter): Prisma.JobWhereInput {
  return {
    ...(status?.length && { status: { in: status } }),
    ...(type && { job_type: type }),
    ...(agent && { agent_slug: agent }),
    ...(run && { run_id: run }),
    ...(failure && { failure_kind: failure }),
    ...((code || phase || cancelled) && {
      AND: [...(code || phase ? endedBy(code, phase) : []), ...(cancelled ? [NOT_CANCELLED] : [])],
    }),
    ...(ids && { job_id: { in: ids } }),
    ...((from || to) && {
      created_at: { ...(from && { gte: new Date(from) }), ...(to && { lt: new Date(to) }) },
    }),
    ...(q?.trim() && textIs(q.trim())),
  }
}

/** The states in which a job has failed for now: those of the groups of failures. */
export const ENDED_BADLY = ['FAILED', 'DEAD'] as const satisfies readonly JobState[]

const CANCELLED = FAILURE_KIND_OF.cancel ?? null
const NOT_CANCELLED: Prisma.JobWhereInput = {
  OR: [{ failure_kind: null }, { failure_kind: { not: CANCELLED } }],
}

/** Jobs that ended with this error; one that is retried has an error too, but has not ended. */
function endedBy(code: string | undefined, phase: string | undefined): Prisma.JobWhereInput[] {
  return [
    { status: { in: [...ENDED_BADLY] } },
    ...(code ? [{ error: { path: ['code'], equals: code } }] : []),
    ...(phase ? [{ error: { path: ['phase'], equals: phase } }] : []),
  ]
}

const LOWEST = '00000000-0000-0000-0000-000000000000'
const HIGHEST = LOWEST.replaceAll('0', 'f')

/** Those whose titles the trigram index `job_words` holds; the others are few, and found by their state. */
const IN_WORDS = ['COMPLETE', 'FAILED', 'DEAD'] as const satisfies readonly JobState[]

/** Part of the question, or the beginning of an id. Each alternative has an index of its own. */
function textIs(q: string): Prisma.JobWhereInput {
  const title = { contains: like(q), mode: 'insensitive' } as const
  const [first, last] = [LOWEST, HIGHEST].map((id) => q + id.slice(q.length))
  const isPrefix = q.length >= 4 && z.guid().safeParse(first).success
  return {
    OR: [
      { status: { in: [...IN_WORDS] }, title },
      { status: { in: jobMachine.states.filter((state) => !isInWords(state)) }, title },
      ...(isPrefix ? [{ job_id: { gte: first as string, lte: last as string } }] : []),
    ],
  }
}

const isInWords = (state: JobState): boolean => IN_WORDS.some((one) => one === state)

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
