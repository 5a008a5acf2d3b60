/**
 * `POST /artifacts` ([artifacts#writing]): the NotebookLM Backend hands in the artifact of one job under that job's write token.
 *
 *   genuine token, artifact there already      200 with the existing one; other content leaves `artifact.conflict`
 *   forged, foreign or expired token           403
 *   token of an earlier fence, or the job has moved on   409, recorded as `job.write.refused`
 *   first                                      re-read the citations → validate → object → one transaction (J7, artifact row, J10) → 201
 *
 * When the object store fails, the attempt ends by J11; the answer is then 503, and the token is spent.
 */
import sql from 'sql-template-tag'
import type { ArtifactSubmission } from '#contracts/artifact.contract.ts'
import { type Caller, NLM_BACKEND } from '#domain/authority/caller.ts'
import { jobMachine } from '#domain/job/job.machine.ts'
import { can } from '#domain/kernel/machine.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { recordRefusedWrite } from '#server/jobs/record-refused-write.ts'
import { readWriteToken, type TokenClaims, tokenHash } from '#server/jobs/write-token.ts'
import { authorityFault } from '#server/ledger/authority-check.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import { measureOutcome } from '#server/metrics/meter.ts'
import type { Services } from '#server/services.ts'
import { type PreparedArtifact, prepareArtifact } from './artifact-document.ts'
import { artifactUrl } from './artifact-view.ts'
import { groundSubmission } from './ground-submission.ts'
import { commitAnswers, failWrite, storeArtifact } from './write-artifact.ts'

type Parts = Pick<Services, 'db' | 'store' | 'garden'> & {
  env: Pick<Services['env'], 'BLOOM_JOB_TOKEN_KEY' | 'PUBLIC_URL'>
}
export type ArtifactReceived = { artifact_id: string; url: string; created: boolean }

const SEEN = [
  'job_id',
  'job_type',
  'payload',
  'run_id',
  'agent_slug',
  'reserved_artifact_id',
  'status',
  'fence',
  'write_token_hash',
  'artifact_id',
] as const

type TokenJob = Row<'job', (typeof SEEN)[number]> & { now: Date; content_sha256: string | null }

const FORBIDDEN = refuse({ code: 'FORBIDDEN', message: 'This write token is not valid for this artifact.' })

export async function receiveArtifact(
  parts: Parts,
  { token, submission, caller }: { token: string; submission: ArtifactSubmission; caller: Caller },
): Promise<Result<ArtifactReceived>> {
  const fault = await authorityFault(parts.db, caller, 'artifact', 'write', { id: submission.job_id })
  if (fault) return refuse(fault)
  const claims = await readWriteToken(parts.env.BLOOM_JOB_TOKEN_KEY, token)
  if (claims?.job_id !== submission.job_id.toLowerCase()) return FORBIDDEN
  const job = await tokenJob(parts.db, claims.job_id)
  if (!job || job.now.getTime() > claims.expires_at.getTime()) return FORBIDDEN
  const prepared = prepareArtifact(job, await groundSubmission(parts, job, submission))
  if (job.artifact_id) return existing(parts, job, prepared)
  const stale =
    job.fence !== claims.fence || !can(jobMachine, job.status, 'nlm_answered') || !job.write_token_hash
  if (stale) return refuseStale(parts.db, claims)
  if (job.write_token_hash !== tokenHash(token)) return FORBIDDEN
  if (!prepared.ok) return prepared
  const work = () => write(parts, claims, prepared.value)
  return measureOutcome('garden_artifact_write_seconds', ({ ok }) => ok, work)
}

async function tokenJob(db: Db, jobId: string): Promise<TokenJob | undefined> {
  const { rows } =
    await db.query<TokenJob>(sql`SELECT ${columns('job', 'j', SEEN)}, a.content_sha256, clock_timestamp() AS now
    FROM job j LEFT JOIN artifact a ON a.artifact_id = j.artifact_id WHERE j.job_id = ${jobId}`)
  return rows[0]
}

async function existing(
  { db, env }: Parts,
  job: TokenJob,
  sent: Result<PreparedArtifact>,
): Promise<Result<ArtifactReceived>> {
  const id = job.artifact_id as string
  if (!sent.ok || sent.value.sha256 !== job.content_sha256) {
    await recordEvent(db, {
      name: 'artifact.conflict',
      actor: NLM_BACKEND,
      resource: { type: 'artifact', id },
      outcome: 'refused',
      refs: { artifact_id: id, job_id: job.job_id, agent: job.agent_slug },
      details: { kept: job.content_sha256, refused: sent.ok ? sent.value.sha256 : sent.refusal.code },
    })
  }
  return ok({ artifact_id: id, url: artifactUrl(env, id), created: false })
}

async function refuseStale(db: Db, claims: TokenClaims): Promise<Result<never>> {
  await recordRefusedWrite(db, claims, 'nlm_answered', NLM_BACKEND)
  return refuse({ code: 'FENCE_STALE', message: 'The job is no longer at this attempt.' })
}

async function write(
  parts: Parts,
  claims: TokenClaims,
  artifact: PreparedArtifact,
): Promise<Result<ArtifactReceived>> {
  try {
    await storeArtifact(parts, artifact)
  } catch {
    await failWrite(parts, claims, 'The object store did not take the artifact.')
    return refuse({
      code: 'STORAGE_UNAVAILABLE',
      message: 'The artifact could not be stored. The job will be retried.',
    })
  }
  const row = { ...artifact, bytes: artifact.bytes.byteLength }
  const [committed] = await commitAnswers(parts, [{ ...claims, artifact: row }])
  if (!committed) return lostRace(parts, claims, artifact)
  return ok({
    artifact_id: artifact.artifact_id,
    url: artifactUrl(parts.env, artifact.artifact_id),
    created: true,
  })
}

/** Another write came between the check and this one: a copy of the same delivery, or an operator. */
async function lostRace(
  parts: Parts,
  claims: TokenClaims,
  artifact: PreparedArtifact,
): Promise<Result<ArtifactReceived>> {
  const job = await tokenJob(parts.db, claims.job_id)
  return job?.artifact_id ? existing(parts, job, ok(artifact)) : refuseStale(parts.db, claims)
}
