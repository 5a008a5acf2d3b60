import { JOB_ACTIONS, type JobDetail, type JobGetInput } from '#contracts/job.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { type JobState, jobMachine } from '#domain/job/job.machine.ts'
import { JOB_ACTION_EVENTS } from '#domain/job/job.rules.ts'
import { can } from '#domain/kernel/machine.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { authorityFault } from '#server/ledger/authority-check.ts'
import { ledgerNow } from '#server/ledger/clock.ts'
import type { Reads } from '#server/ledger/prisma.ts'
import { type Row, rowOf, rowsOf, selected } from '#server/ledger/rows.ts'
import { redact } from '#server/redaction/redact.ts'
import type { Services } from '#server/services.ts'
import { attemptsOf } from './job-attempts.ts'
import { jobHistory } from './job-history.query.ts'
import { jobView, VIEW_SELECT, viewFactsOf } from './job-view.ts'
import { type GatewayEnv, snapshotUrl } from './nlm-client.ts'

const DETAIL = [
  'payload',
  'payload_digest',
  'context_sha256',
  'lease_holder',
  'lease_expires_at',
  'phase_deadline',
  'fence',
] as const

/** The states in which a job is the NotebookLM Backend's own. */
const WITH_BACKEND: readonly string[] = ['NOTEBOOKLM_CALL', 'ARTIFACT_WRITE'] satisfies JobState[]

/** One job with its attempts, history, lease and artifact, secrets in its payload masked ([redaction#what-is-masked]); 404 when there is none. */
export async function getJob(
  { db, env, reads }: Pick<Services, 'db' | 'reads'> & { env: GatewayEnv },
  { job_id }: JobGetInput,
  caller: Caller,
): Promise<Result<JobDetail>> {
  const found = await reads.job.findUnique({
    where: { job_id },
    select: { ...VIEW_SELECT, ...selected(DETAIL) },
  })
  const fault = await authorityFault(db, caller, 'job', 'read', {
    id: job_id,
    own: found !== null && WITH_BACKEND.includes(found.status),
  })
  if (fault) return refuse(fault)
  if (!found) return refuse({ code: 'NOT_FOUND', message: 'There is no such job.' })
  const row = rowOf('job', found)
  const [facts, history, artifact, replays, now] = await Promise.all([
    viewFactsOf({ db, reads }, [row]),
    jobHistory({ reads }, job_id),
    artifactOf(reads, row.artifact_id),
    replaysOf(reads, job_id),
    ledgerNow(db),
  ])
  return ok({
    ...jobView(row, facts, env),
    payload: redact(row.payload),
    payload_digest: row.payload_digest,
    context_sha256: row.context_sha256,
    context: {
      memory_snapshot_url: row.context_sha256 && snapshotUrl(env, row.context_sha256),
      entity_refs: [],
    },
    lease: leaseOf(row),
    actions: JOB_ACTIONS.filter((action) => can(jobMachine, row.status, JOB_ACTION_EVENTS[action])),
    artifact,
    replays,
    attempts: attemptsOf(history),
    history,
    now: now.toISOString(),
  })
}

const REPLAYS_SHOWN = 10

/** The newest of them. */
async function replaysOf(reads: Reads, job_id: string): Promise<JobDetail['replays']> {
  const found = await reads.job.findMany({
    where: { replay_of: job_id },
    select: selected(['job_id', 'status', 'created_at']),
    orderBy: [{ created_at: 'desc' }, { job_id: 'desc' }],
    take: REPLAYS_SHOWN,
  })
  return rowsOf('job', found).map((row) => ({ ...row, created_at: row.created_at.toISOString() }))
}

async function artifactOf(reads: Reads, artifact_id: string | null): Promise<JobDetail['artifact']> {
  if (artifact_id === null) return null
  const found = await reads.artifact.findUnique({
    where: { artifact_id },
    select: { artifact_id: true, type: true, title: true, created_at: true },
  })
  return found && { ...rowOf('artifact', found), created_at: found.created_at.toISOString() }
}

function leaseOf(
  row: Row<'job', 'status' | 'fence' | 'lease_holder' | 'lease_expires_at' | 'phase_deadline'>,
): JobDetail['lease'] {
  if (!row.lease_expires_at) return null
  return {
    holder: row.lease_holder ?? '',
    fence: row.fence,
    phase: row.status,
    expires_at: row.lease_expires_at.toISOString(),
    phase_deadline: row.phase_deadline?.toISOString() ?? null,
  }
}
