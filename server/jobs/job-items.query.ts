/** Jobs as the wire of the control plane shows them, by SQL: that process has no Prisma Client. */
import sql, { empty } from 'sql-template-tag'
import { type JobItem, type JobItemsInput, jobItem } from '#contracts/control-plane.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { type JobState, jobMachine } from '#domain/job/job.machine.ts'
import { PATTERNS } from '#domain/kernel/ids.ts'
import { requireAuthority } from '#server/ledger/authority-check.ts'
import type { Db } from '#server/ledger/database.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import { newestJobs } from './list-jobs.query.ts'

const ITEM = [
  'job_id',
  'status',
  'job_type',
  'agent_slug',
  'attempt',
  'max_attempts',
  'artifact_id',
  'error',
  'created_at',
  'updated_at',
  'finished_at',
] as const
type ItemRow = Row<'job', (typeof ITEM)[number]>

/** Newest first. A filter that only a sync can meet finds none. */
export async function listJobItems(
  { db }: { db: Db },
  { status, kind, project, limit }: JobItemsInput,
  caller: Caller,
): Promise<JobItem[]> {
  await requireAuthority(db, caller, 'job', 'read', { own: false })
  const ofSyncs = kind === 'sync' || project !== undefined || (status !== undefined && !isJobState(status))
  if (ofSyncs) return []
  const { rows } = await db.query<ItemRow>(sql`SELECT ${columns('job', 'j', ITEM)} FROM job j
    ${status === undefined ? empty : sql`WHERE j.status = ${status}`} ORDER BY ${newestJobs.order('j')} LIMIT ${limit}`)
  return rows.map(itemOf)
}

/** One job, or null: an id of another form names nothing. */
export async function findJobItem({ db }: { db: Db }, id: string, caller: Caller): Promise<JobItem | null> {
  await requireAuthority(db, caller, 'job', 'read', { id, own: false })
  const job_id = id.toLowerCase()
  if (!PATTERNS.job.test(job_id)) return null
  const { rows } = await db.query<ItemRow>(
    sql`SELECT ${columns('job', 'j', ITEM)} FROM job j WHERE j.job_id = ${job_id}`,
  )
  return rows[0] ? itemOf(rows[0]) : null
}

const STATES: readonly string[] = jobMachine.states
const isJobState = (status: string): status is JobState => STATES.includes(status)

/** Every key of an item, null. */
const FOREIGN = Object.fromEntries(Object.keys(jobItem.shape).map((key) => [key, null])) as Record<
  keyof JobItem,
  null
>

const itemOf = ({ job_id, error, created_at, updated_at, finished_at, ...job }: ItemRow): JobItem => ({
  ...FOREIGN,
  kind: 'job',
  id: job_id,
  ...job,
  error: error && { ...error, at: seconds(new Date(error.at)) },
  created_at: seconds(created_at),
  updated_at: seconds(updated_at),
  finished_at: finished_at && seconds(finished_at),
})

const seconds = (at: Date): number => at.getTime() / 1000
