/**
 * One request, one effect: the answer of a change is kept under (identity, Idempotency-Key) for seven days.
 *
 * The key is reserved before the use-case runs. The same request again gets the kept answer; another body under the same key
 * is 409 IDEMPOTENCY_MISMATCH; a twin that is still running is 409 CONCURRENT_MODIFICATION. A refusal gives the key back.
 *
 * In a transaction the reservation, the change and the answer commit together, and a process that dies leaves none of them. The
 * reservation is not visible to a twin until then, so an advisory lock tells it. The lock is only tried: nobody waits for a key
 * while holding a connection or other locks, so no deadlock goes through one. Outside a transaction the reservation is a commit
 * of its own, and one whose process died is free again after a minute.
 *
 * Of the key only a digest is stored, and the answer is encrypted (encrypted-answer.ts), because answers carry secrets that are shown once.
 */
import { createHash } from 'node:crypto'
import sql from 'sql-template-tag'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'

export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,128}$/

/** A request under its key; `keyDigest` and `bodyDigest` by `digestOf`. */
export type Reservation = { identity: string; keyDigest: string; endpoint: string; bodyDigest: string }
export type Kept = { status: number; answer: Uint8Array }
type StoredRow = Row<'idempotency_key', 'endpoint' | 'body_digest' | 'status' | 'answer'>

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Reserves the key (`null`), or gives the kept answer. */
export async function reserve(db: Db, r: Reservation): Promise<Result<Kept | null>> {
  const { rowCount } = await db.query(sql`
    INSERT INTO idempotency_key AS k (identity, key, endpoint, body_digest)
    SELECT ${r.identity}, ${r.keyDigest}, ${r.endpoint}, ${r.bodyDigest}
      WHERE pg_try_advisory_xact_lock(hashtextextended(${`idempotency:${r.identity}:${r.keyDigest}`}, 0))
    ON CONFLICT (identity, key) DO UPDATE SET created_at = clock_timestamp()
      WHERE k.status IS NULL AND k.created_at < clock_timestamp() - interval '1 minute'
        AND k.endpoint = excluded.endpoint AND k.body_digest = excluded.body_digest`)
  if (rowCount) return ok(null)
  const { rows } = await db.query<StoredRow>(
    sql`SELECT endpoint, body_digest, status, answer FROM idempotency_key WHERE identity = ${r.identity} AND key = ${r.keyDigest}`,
  )
  const kept = rows[0]
  if (kept && (kept.endpoint !== r.endpoint || kept.body_digest !== r.bodyDigest)) {
    return refuse({
      code: 'IDEMPOTENCY_MISMATCH',
      message: 'This Idempotency-Key was used for another request.',
    })
  }
  if (kept?.status) return ok({ status: kept.status, answer: kept.answer ?? new Uint8Array() })
  return refuse({
    code: 'CONCURRENT_MODIFICATION',
    message: 'The same request is being worked on.',
    retryAfter: 1,
  })
}

export async function keep(db: Db, r: Reservation, kept: Kept): Promise<void> {
  await db.query(sql`UPDATE idempotency_key SET status = ${kept.status}, answer = ${kept.answer}
    WHERE identity = ${r.identity} AND key = ${r.keyDigest}`)
}

export async function release(db: Db, r: Reservation): Promise<void> {
  await db.query(
    sql`DELETE FROM idempotency_key WHERE identity = ${r.identity} AND key = ${r.keyDigest} AND status IS NULL`,
  )
}

/** Forgets answers older than seven days; part of the sweep. The beginning of the transaction will do: along an index only a fixed time is looked for. */
export async function forgetOldAnswers(db: Db): Promise<void> {
  await db.query(sql`DELETE FROM idempotency_key WHERE created_at < now() - interval '7 days'`)
}
