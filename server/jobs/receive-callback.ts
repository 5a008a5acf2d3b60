/**
 * `POST /jobs/{id}/result` ([jobs#callbacks]): bearer and signature over the raw body, then one row that remembers the message, then an
 * earlier poll of the job. The callback decides nothing: COMPLETE is read off the artifact's row, FAILED is asked back from the backend
 * under the present fence. Copies, old and unknown ones are answered with 200 and change nothing.
 */
import sql from 'sql-template-tag'
import { nlmCallback } from '#contracts/research.contract.ts'
import { PATTERNS } from '#domain/kernel/ids.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'
import { isSigned } from '#server/outbound/callback-signature.ts'
import type { Services } from '#server/services.ts'
import { CALLING } from './job-row.ts'

export type SignedCallback = {
  jobId: string
  /** Lower-case header names. */
  headers: Record<string, string | undefined>
  body: Buffer
}
type Parts = Pick<Services, 'db'> & {
  env: Pick<Services['env'], 'MEMBRIDGE_CALLBACK_SIGNING_KEY'>
}

/** The bearer has been checked by the route; the signature is checked here, over the exact bytes. */
export async function receiveCallback(
  { db, env }: Parts,
  { jobId, headers, body }: SignedCallback,
): Promise<Result<{ received: true }>> {
  const messageId = headers['webhook-id'] ?? ''
  const genuine = messageId.length <= 128 && isSigned(env.MEMBRIDGE_CALLBACK_SIGNING_KEY, headers, body)
  if (!genuine)
    return refuse({ code: 'AUTH_REQUIRED', message: 'The signature of the callback does not verify.' })
  const parsed = nlmCallback.safeParse(parseJson(body))
  const id = jobId.toLowerCase()
  if (!parsed.success || parsed.data.job_id.toLowerCase() !== id || !PATTERNS.job.test(id)) {
    return refuse({ code: 'VALIDATION_FAILED', message: 'The body is not a callback of this job.' })
  }
  const { rowCount } = await db.query(sql`WITH once AS (
      INSERT INTO job_callback (message_id, job_id) VALUES (${messageId}, ${id}) ON CONFLICT DO NOTHING RETURNING job_id)
    UPDATE job SET poll_at = clock_timestamp() FROM once WHERE job.job_id = once.job_id AND job.status = ${CALLING}`)
  if (rowCount) db.notify('calls')
  return ok({ received: true })
}

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
