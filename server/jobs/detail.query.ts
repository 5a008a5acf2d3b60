import sql from 'sql-template-tag'
import { JOB_ACTIONS, type JobDetail, type JobError, type JobHistoryRow } from '#contracts/job.contract.ts'
import { jobMachine } from '#domain/job/job.machine.ts'
import { can } from '#domain/kernel/machine.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'
import { attemptsOf } from './job-attempts.ts'
import { jobView, VIEW_COLUMNS, type ViewRow } from './job-view.ts'
import { ledgerNow } from './list.query.ts'

const HISTORY_LIMIT = 1_000

type DetailRow = ViewRow & {
  payload: Record<string, unknown>
  payload_digest: string
  context_sha256: string | null
  lease_holder: string | null
  lease_expires_at: Date | null
  phase_deadline: Date | null
  fence: number
  artifact: JobDetail['artifact']
}

/** Which event of the machine each action is. */
const EVENT_OF = { cancel: 'cancel', fail: 'operator_fail', requeue: 'requeue' } as const

/** One job with its tries, history, lease and artifact; 404 when there is none. */
export async function jobDetail(db: Db, jobId: string): Promise<Result<JobDetail>> {
  const { rows } =
    await db.query<DetailRow>(sql`SELECT ${VIEW_COLUMNS}, j.payload, j.payload_digest, j.context_sha256, j.lease_holder, j.lease_expires_at,
      j.phase_deadline, j.fence, (SELECT jsonb_build_object('artifact_id', a.artifact_id, 'type', a.type, 'title', a.title, 'created_at', a.created_at)
        FROM artifact a WHERE a.artifact_id = j.artifact_id) AS artifact
    FROM job j WHERE j.job_id = ${jobId}`)
  const row = rows[0]
  if (!row) return refuse({ code: 'NOT_FOUND', message: 'There is no such job.' })
  const history = await jobHistory(db, jobId)
  return ok({
    ...jobView(row),
    payload: row.payload,
    payload_digest: row.payload_digest,
    context_sha256: row.context_sha256,
    lease: leaseOf(row),
    actions: JOB_ACTIONS.filter((action) => can(jobMachine, row.status, EVENT_OF[action])),
    artifact: row.artifact && {
      ...row.artifact,
      created_at: new Date(row.artifact.created_at).toISOString(),
    },
    attempts: attemptsOf(history),
    history,
    now: await ledgerNow(db),
  })
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

type EventRow = {
  seq: number | null
  event_id: string
  ts: Date
  name: string
  actor: string
  actor_role: string
  transition: string | null
  from_status: string | null
  to_status: string | null
  reason: string | null
  outcome: JobHistoryRow['outcome']
  node: string
  details: { attempt?: number; fence?: number; error?: JobError; backoff_seconds?: number }
}

/** The append-only history of a job, oldest first: its newest thousand lines. */
export async function jobHistory(db: Db, jobId: string): Promise<JobHistoryRow[]> {
  const { rows } =
    await db.query<EventRow>(sql`SELECT s.seq, e.event_id, e.ts, e.name, e.actor, e.actor_role, e.transition, e.from_status,
      e.to_status, e.reason, e.outcome, e.node, e.details
    FROM event e LEFT JOIN event_seal s ON s.event = e.id
    WHERE e.resource_type = 'job' AND e.resource_id = ${jobId} ORDER BY e.id DESC LIMIT ${HISTORY_LIMIT}`)
  return rows.reverse().map((e) => ({
    seq: e.seq,
    event_id: e.event_id,
    event: e.name,
    transition: e.transition,
    from: e.from_status,
    to: e.to_status,
    outcome: e.outcome,
    attempt: e.details.attempt ?? null,
    fence: e.details.fence ?? null,
    actor: e.actor,
    actor_role: e.actor_role,
    reason: e.reason,
    error: e.details.error ?? null,
    backoff_seconds: e.details.backoff_seconds ?? null,
    node: e.node,
    at: e.ts.toISOString(),
  }))
}
