/**
 * What the NotebookLM Backend reports of a job ([jobs#callbacks]): its callback, `POST /jobs/{id}/result`, and its account on the way,
 * `PATCH /jobs/{id}/status`. Bearer, then the signature over the raw body, then one row that remembers the message with the failure it
 * reports under the fence of the attempt that is under way, then an earlier poll of the job, which settles it. Nothing here writes a job's
 * state. Copies, old and unknown messages are answered with 200 and change nothing.
 */
import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { nlmCallback, nlmStatusReport } from '#contracts/research.contract.ts'
import { type Caller, NLM_BACKEND } from '#domain/authority/caller.ts'
import { PATTERNS } from '#domain/kernel/ids.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { authorityFault } from '#server/ledger/authority-check.ts'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'
import { isSigned } from '#server/outbound/callback-signature.ts'
import { redactText } from '#server/redaction/redact.ts'
import type { Services } from '#server/services.ts'
import { CALLING, type JobReport } from './job-row.ts'

export type SignedMessage = {
  jobId: string
  /** Lower-case header names. */
  headers: Record<string, string | undefined>
  body: Buffer
  /** The component that the key stands for. */
  caller: Caller
}
type Parts = Pick<Services, 'db'> & {
  env: Pick<Services['env'], 'MEMBRIDGE_CALLBACK_SIGNING_KEY' | 'CALLBACK_ALLOW_UNSIGNED'>
}
type Received = Result<{ received: true }>

const RECEIVED: Received = ok({ received: true })
const NOT_GENUINE = refuse({
  code: 'AUTH_REQUIRED',
  message: 'The signature of the callback does not verify.',
})
const NO_REPORT = refuse({ code: 'VALIDATION_FAILED', message: 'The body is not a report of this job.' })
const SIGNATURE = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const

/** The callback. The bearer has been checked by the route; the signature is checked here, over the exact bytes. */
export async function receiveCallback({ db, env }: Parts, message: SignedMessage): Promise<Received> {
  const fault = await authorityFault(db, message.caller, 'job', 'report', { id: message.jobId })
  if (fault) return refuse(fault)
  const messageId = genuineId(env, message)
  if (messageId === null) return NOT_GENUINE
  const parsed = nlmCallback.safeParse(parseJson(message.body))
  const id = message.jobId.toLowerCase()
  if (!parsed.success || parsed.data.job_id.toLowerCase() !== id || !PATTERNS.job.test(id)) return NO_REPORT
  const { status, error } = parsed.data
  await requestPoll(db, { messageId, id, report: status === 'FAILED' ? (error ?? null) : null })
  return RECEIVED
}

/** A report on the way: a failure counts like that of the callback, a phase is an event of the job and no more. */
export async function receiveStatus({ db, env }: Parts, message: SignedMessage): Promise<Received> {
  const fault = await authorityFault(db, message.caller, 'job', 'report', { id: message.jobId })
  if (fault) return refuse(fault)
  const messageId = genuineId(env, message)
  if (messageId === null) return NOT_GENUINE
  const parsed = nlmStatusReport.safeParse(parseJson(message.body))
  const id = message.jobId.toLowerCase()
  if (!parsed.success || !PATTERNS.job.test(id)) return NO_REPORT
  if ('phase' in parsed.data) await recordPhase(db, { messageId, id, phase: parsed.data.phase })
  else
    await requestPoll(db, { messageId, id, report: { code: parsed.data.code, message: parsed.data.message } })
  return RECEIVED
}

/** The message's id, by which copies are known; null for one that is not signed as it must be. */
function genuineId(env: Parts['env'], { headers, body }: SignedMessage): string | null {
  const unsigned = SIGNATURE.every((name) => headers[name] === undefined)
  if (unsigned && env.CALLBACK_ALLOW_UNSIGNED) return `unsigned:${randomUUID()}`
  const id = headers['webhook-id'] ?? ''
  return id.length <= 128 && isSigned(env.MEMBRIDGE_CALLBACK_SIGNING_KEY, headers, body) ? id : null
}

type Known = { messageId: string; id: string }

/** Remembers the message once, and has a job that is with the backend polled at once. */
async function requestPoll(
  db: Db,
  { messageId, id, report }: Known & { report: JobReport | null },
): Promise<void> {
  const error = report && json({ code: report.code, message: redactText(report.message) })
  const { rowCount } = await db.query(sql`WITH once AS (
      INSERT INTO job_callback (message_id, job_id, fence, error)
      SELECT ${messageId}, ${id}::uuid, j.fence, CASE WHEN j.fence IS NOT NULL THEN ${error}::jsonb END
      FROM (VALUES (1)) AS one LEFT JOIN job j ON j.job_id = ${id} AND j.status = ${CALLING}
      ON CONFLICT DO NOTHING RETURNING job_id)
    UPDATE job SET poll_at = clock_timestamp() FROM once WHERE job.job_id = once.job_id AND job.status = ${CALLING}`)
  if (rowCount) db.notify('calls')
}

const recordPhase = (db: Db, { messageId, id, phase }: Known & { phase: string }): Promise<void> =>
  db.transaction(async (tx) => {
    const { rows } = await tx.query<Row<'job', 'agent_slug' | 'fence'>>(sql`WITH once AS (
        INSERT INTO job_callback (message_id, job_id) VALUES (${messageId}, ${id}) ON CONFLICT DO NOTHING RETURNING job_id)
      SELECT j.agent_slug, j.fence FROM job j JOIN once ON once.job_id = j.job_id WHERE j.status = ${CALLING}`)
    if (!rows[0]) return
    const { agent_slug: agent, fence } = rows[0]
    await recordEvent(tx, {
      name: 'job.status.update',
      actor: NLM_BACKEND,
      resource: { type: 'job', id },
      refs: { job_id: id, agent },
      details: { phase, fence },
    })
  })

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

/** Deletes callbacks' message ids after a day, when their signatures have long expired, and bulk previews after an hour. */
export async function deleteOldMessages(db: Db): Promise<void> {
  await db.query(sql`DELETE FROM job_callback WHERE received_at < clock_timestamp() - interval '24 hours'`)
  await db.query(sql`DELETE FROM job_bulk WHERE expires_at < clock_timestamp() - interval '1 hour'`)
}
