import { createHash, randomUUID } from 'node:crypto'
import canonicalize from 'canonicalize'
import sql, { empty } from 'sql-template-tag'
import type { z } from 'zod'
import { JOB_PAYLOAD_BYTES, type JobSubmitted } from '#contracts/job.contract.ts'
import { byteLength, researchPayload } from '#contracts/research.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { DEFAULT_MAX_ATTEMPTS, type JobType } from '#domain/job/job.rules.ts'
import { artifactId } from '#domain/kernel/ids.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { authorityFault } from '#server/ledger/authority-check.ts'
import { create } from '#server/ledger/create.ts'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import type { Row } from '#server/ledger/rows.ts'
import { faultOf, storedBytes } from './storable-payload.ts'

/** The payload of each type; a type without a schema has no handler yet and is refused when it is submitted. */
const PAYLOADS: Record<JobType, z.ZodType<Record<string, unknown>> | null> = {
  RESEARCH: researchPayload,
  BRIEF: null,
  PROPOSAL_PREPROCESS: null,
}

/** The types of job that this product can do. */
export const KNOWN_JOB_TYPES = (Object.keys(PAYLOADS) as JobType[]).filter((type) => PAYLOADS[type] !== null)

export type NewJob = {
  job_id?: string | undefined
  /** For whom the caller asks; itself by default. */
  requested_by?: string
  job_type: JobType
  agent_slug: string
  payload: Record<string, unknown>
  run_id?: string | null
  inbox_entry_id?: string | null
  priority?: 'normal' | 'high'
  max_attempts?: number | undefined
  correlation_id?: string | undefined
  /** The ended job that this one does once more, and why. */
  replay?: { of: string; reason: string } | undefined
}

/**
 * J1: creates the job inside the transaction of its cause ([jobs#I-J8]). The same `job_id` with the same agent, type and payload returns the
 * existing job; with others 409. Refuses 422 for a payload that does not fit its type and 413 above 90 KB.
 */
export async function submitJob(
  tx: Db,
  job: NewJob,
  caller: Caller,
): Promise<Result<JobSubmitted & { created: boolean }>> {
  const fault = await authorityFault(tx, caller, 'job', 'create', { id: job.job_id })
  if (fault) return refuse(fault)
  const checked = checkPayload(job.job_type, job.payload)
  if (!checked.ok) return checked
  const { digest, title } = checked.value
  const id = job.job_id ?? randomUUID()
  const made = await create(tx, {
    machine: 'job',
    actor: caller,
    prepared: true,
    correlationId: job.correlation_id,
    reason: job.replay?.reason,
    values: {
      job_id: id,
      job_type: job.job_type,
      agent_slug: job.agent_slug,
      run_id: job.run_id ?? null,
      inbox_entry_id: job.inbox_entry_id ?? null,
      requested_by: job.requested_by ?? caller.identity,
      priority: job.priority ?? 'normal',
      payload: json(job.payload),
      payload_digest: digest,
      max_attempts: job.max_attempts ?? DEFAULT_MAX_ATTEMPTS,
      reserved_artifact_id: artifactId(randomUUID()),
      title,
      replay_of: job.replay?.of ?? null,
    },
    details: sql`jsonb_build_object('attempt', m.attempt, 'fence', m.fence, 'job_type', m.job_type, 'payload_digest', m.payload_digest, 'artifact_id', m.reserved_artifact_id)${job.replay ? sql` || jsonb_build_object('replay_of', m.replay_of)` : empty}`,
  })
  if (made)
    return ok({ job_id: id, inbox_id: job.inbox_entry_id ?? null, status: made.status, created: true })
  return existing(tx, { ...job, job_id: id }, digest)
}

async function existing(
  tx: Db,
  asked: Pick<NewJob, 'agent_slug' | 'job_type' | 'replay'> & { job_id: string },
  digest: string,
): Promise<Result<JobSubmitted & { created: boolean }>> {
  const { job_id, agent_slug, job_type, replay } = asked
  const { rows } = await tx.query<Row<'job', 'status' | 'inbox_entry_id'>>(
    sql`SELECT status, inbox_entry_id FROM job
      WHERE job_id = ${job_id} AND payload_digest = ${digest} AND agent_slug = ${agent_slug} AND job_type = ${job_type}
        AND replay_of IS NOT DISTINCT FROM ${replay?.of ?? null}::uuid`,
  )
  const job = rows[0]
  if (!job)
    return refuse({ code: 'IDEMPOTENCY_MISMATCH', message: 'A job with this id asks for something else.' })
  return ok({ job_id, inbox_id: job.inbox_entry_id, status: job.status, created: false })
}

/** The digest and the short title of a payload that fits its type, or why it does not. */
export function checkPayload(
  type: JobType,
  payload: Record<string, unknown>,
): Result<{ digest: string; title: string }> {
  const schema = PAYLOADS[type]
  if (!schema)
    return refuse({ code: 'VALIDATION_FAILED', message: `Jobs of type ${type} are not available.` })
  const fault = faultOf(payload)
  if (fault)
    return refuse({
      code: 'VALIDATION_FAILED',
      message: `The payload ${fault}.`,
      details: [{ field: 'payload', message: fault }],
    })
  const parsed = schema.safeParse(payload)
  if (!parsed.success) {
    return refuse({
      code: 'VALIDATION_FAILED',
      message: 'The payload does not fit the type of the job.',
      details: parsed.error.issues.map((i) => ({
        field: ['payload', ...i.path].join('.'),
        message: i.message,
      })),
    })
  }
  const canonical = canonicalize(payload) ?? '{}'
  if (byteLength(canonical) > JOB_PAYLOAD_BYTES || storedBytes(payload) > JOB_PAYLOAD_BYTES) {
    return refuse({
      code: 'PAYLOAD_TOO_LARGE',
      message: 'The payload is larger than 90 KB.',
      details: { limit: JOB_PAYLOAD_BYTES },
    })
  }
  return ok({ digest: createHash('sha256').update(canonical).digest('hex'), title: titleOf(payload) })
}

function titleOf(payload: Record<string, unknown>): string {
  const text = [payload.query, payload.vision_text].find((t): t is string => typeof t === 'string') ?? ''
  return Array.from(text.replace(/\s+/gu, ' ').trim()).slice(0, 160).join('')
}
