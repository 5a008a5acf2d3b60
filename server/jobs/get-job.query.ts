/** One job in full. Typed SQL: it shares the list's correlated columns (why the job waits). */
import sql from 'sql-template-tag'
import { JOB_ACTIONS, type JobDetail, type JobGetInput } from '#contracts/job.contract.ts'
import { jobMachine } from '#domain/job/job.machine.ts'
import { JOB_ACTION_EVENTS } from '#domain/job/job.rules.ts'
import { can } from '#domain/kernel/machine.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { attemptsOf, jobHistory } from './job-history.query.ts'
import { jobView, VIEW_COLUMNS, type ViewRow } from './job-view.ts'

const DETAIL = [
  'payload',
  'payload_digest',
  'context_sha256',
  'lease_holder',
  'lease_expires_at',
  'phase_deadline',
  'fence',
] as const

type DetailRow = ViewRow & Row<'job', (typeof DETAIL)[number]>

/** One job with its attempts, history, lease and artifact; 404 when there is none. */
export async function getJob(
  { db }: Pick<Services, 'db'>,
  { job_id }: JobGetInput,
): Promise<Result<JobDetail>> {
  const { rows } = await db.query<DetailRow>(
    sql`SELECT ${VIEW_COLUMNS}, ${columns('job', 'j', DETAIL)} FROM job j WHERE j.job_id = ${job_id}`,
  )
  const row = rows[0]
  if (!row) return refuse({ code: 'NOT_FOUND', message: 'There is no such job.' })
  const [history, artifact] = await Promise.all([
    jobHistory({ db }, job_id),
    artifactOf({ db }, row.artifact_id),
  ])
  return ok({
    ...jobView(row),
    payload: row.payload,
    payload_digest: row.payload_digest,
    context_sha256: row.context_sha256,
    lease: leaseOf(row),
    actions: JOB_ACTIONS.filter((action) => can(jobMachine, row.status, JOB_ACTION_EVENTS[action])),
    artifact,
    attempts: attemptsOf(history),
    history,
    now: row.now.toISOString(),
  })
}

async function artifactOf({ db }: Pick<Services, 'db'>, id: string | null): Promise<JobDetail['artifact']> {
  if (id === null) return null
  const { rows } = await db.query<Row<'artifact', 'artifact_id' | 'type' | 'title' | 'created_at'>>(
    sql`SELECT artifact_id, type, title, created_at FROM artifact WHERE artifact_id = ${id}`,
  )
  const found = rows[0]
  return found ? { ...found, created_at: found.created_at.toISOString() } : null
}

function leaseOf(row: DetailRow): JobDetail['lease'] {
  if (!row.lease_expires_at) return null
  return {
    holder: row.lease_holder ?? '',
    fence: row.fence,
    phase: row.status,
    expires_at: row.lease_expires_at.toISOString(),
    phase_deadline: row.phase_deadline?.toISOString() ?? null,
  }
}
