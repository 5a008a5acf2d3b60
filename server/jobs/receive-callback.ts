/**
 * `POST /jobs/{id}/result` (contract page 02, section 3; page 09, section 12; page 11, C1–C8): bearer and signature over the raw body, then
 * one row that remembers the message, then the job is asked about sooner. The callback decides nothing: COMPLETE is read off the
 * artifact's row, FAILED is asked back from the backend under the present fence. Copies, old and unknown ones answer 200 and change nothing.
 */
import sql from 'sql-template-tag'
import { nlmCallback } from '#contracts/research.contract.ts'
import { PATTERNS } from '#domain/kernel/ids.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Services } from '#server/composition/services.ts'
import { isSigned } from '#server/outbound/callback-signature.ts'

export type SignedCallback = {
  jobId: string
  /** Lower-case header names. */
  headers: Record<string, string | undefined>
  body: Buffer
}
type Parts = Pick<Services, 'db' | 'hints'> & {
  env: Pick<Services['env'], 'MEMBRIDGE_CALLBACK_SIGNING_KEY'>
}

/** The bearer has been checked by the route; the signature is checked here, over the exact bytes. */
export async function receiveCallback(
  { db, hints, env }: Parts,
  { jobId, headers, body }: SignedCallback,
): Promise<Result<{ received: true }>> {
  const messageId = headers['webhook-id'] ?? ''
  const genuine = messageId.length <= 128 && isSigned(env.MEMBRIDGE_CALLBACK_SIGNING_KEY, headers, body)
  if (!genuine)
    return refuse({ code: 'AUTH_REQUIRED', message: 'the signature of the callback does not verify' })
  const parsed = nlmCallback.safeParse(parseJson(body))
  const id = jobId.toLowerCase()
  if (!parsed.success || parsed.data.job_id.toLowerCase() !== id || !PATTERNS.job.test(id)) {
    return refuse({ code: 'VALIDATION_FAILED', message: 'the callback does not fit its form' })
  }
  const { rowCount } = await db.query(sql`WITH once AS (
      INSERT INTO job_callback (message_id, job_id) VALUES (${messageId}, ${id}) ON CONFLICT DO NOTHING RETURNING job_id)
    UPDATE job SET poll_at = clock_timestamp() FROM once WHERE job.job_id = once.job_id AND job.status = 'NOTEBOOKLM_CALL'`)
  if (rowCount) hints.hint('calls')
  return ok({ received: true })
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
