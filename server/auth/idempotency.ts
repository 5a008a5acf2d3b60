/**
 * One request, one effect: the answer of a change is kept under (identity, Idempotency-Key) for seven days.
 *
 * The key is reserved before the use-case runs. The same request again gets the kept answer; another body under the same key
 * is 409 IDEMPOTENCY_MISMATCH; a twin that is still running is 409 CONCURRENT_MODIFICATION. A refusal gives the key back,
 * since nothing happened. A reservation whose process died is free again after a minute.
 */
import { createHash } from 'node:crypto'
import sql from 'sql-template-tag'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'

export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,128}$/

export type Reservation = { identity: string; key: string; endpoint: string; digest: string }
export type Kept = { status: number; answer: unknown }

export const bodyDigest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Reserves the key (`null`), or gives the kept answer. */
export async function reserve(db: Db, r: Reservation): Promise<Result<Kept | null>> {
  const { rowCount } = await db.query(sql`
    INSERT INTO idempotency_key AS k (identity, key, endpoint, body_digest)
    VALUES (${r.identity}, ${r.key}, ${r.endpoint}, ${r.digest})
    ON CONFLICT (identity, key) DO UPDATE SET created_at = clock_timestamp()
      WHERE k.status IS NULL AND k.created_at < clock_timestamp() - interval '1 minute'
        AND k.endpoint = excluded.endpoint AND k.body_digest = excluded.body_digest`)
  if (rowCount) return ok(null)
  const { rows } = await db.query<{
    endpoint: string
    body_digest: string
    status: number | null
    answer: unknown
  }>(
    sql`SELECT endpoint, body_digest, status, answer FROM idempotency_key WHERE identity = ${r.identity} AND key = ${r.key}`,
  )
  const kept = rows[0]
  if (kept && (kept.endpoint !== r.endpoint || kept.body_digest !== r.digest)) {
    return refuse({
      code: 'IDEMPOTENCY_MISMATCH',
      message: 'This Idempotency-Key was used for another request.',
    })
  }
  if (kept?.status) return ok({ status: kept.status, answer: kept.answer })
  return refuse({
    code: 'CONCURRENT_MODIFICATION',
    message: 'The same request is being worked on.',
    retryAfter: 1,
  })
}

export async function keep(db: Db, r: Reservation, kept: Kept): Promise<void> {
  await db.query(sql`UPDATE idempotency_key SET status = ${kept.status}, answer = ${json(kept.answer)}
    WHERE identity = ${r.identity} AND key = ${r.key}`)
}

export async function release(db: Db, r: Reservation): Promise<void> {
  await db.query(
    sql`DELETE FROM idempotency_key WHERE identity = ${r.identity} AND key = ${r.key} AND status IS NULL`,
  )
}

/** Forgets answers older than seven days; part of the sweep. */
export async function forgetOldAnswers(db: Db): Promise<void> {
  await db.query(sql`DELETE FROM idempotency_key WHERE created_at < clock_timestamp() - interval '7 days'`)
}
