/**
 * Runs the work of a write once for a caller and an Idempotency-Key: a repeat gets the kept answer.
 *
 *   in the gate's transaction   reserve · work · keep, one commit. A refusal commits what it recorded, and the key given back with it.
 *   transaction: 'own'          reserve │ work │ keep, commits of their own. A process that dies between work and keep leaves the key
 *                               reserved for a minute; such operations find their own earlier effect when they are repeated.
 *
 * The key is always the first lock, and it is tried, never waited for. A refusal, a fault and a raw Response give it back.
 */
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { type AnswerReader, decryptAnswer, encryptAnswer } from '#server/auth/encrypted-answer.ts'
import { digestOf, IDEMPOTENCY_KEY, type Kept, keep, release, reserve } from '#server/auth/idempotency.ts'
import type { Services } from '#server/services.ts'
import type { Answer } from './gate.ts'

type Request = { key: string; endpoint: string; caller: Caller; fingerprint: string }

export async function once(
  { db, env }: Pick<Services, 'db' | 'env'>,
  { key, endpoint, caller, fingerprint }: Request,
  work: () => Promise<Result<Answer>>,
): Promise<Result<Answer>> {
  if (!IDEMPOTENCY_KEY.test(key)) {
    return refuse({ code: 'BAD_REQUEST', message: 'An Idempotency-Key has 1 to 128 visible characters.' })
  }
  const { identity } = caller
  const reader = { secret: env.BLOOM_SESSION_KEY, identity, idempotencyKey: key }
  const reservation = { identity, keyDigest: digestOf(key), endpoint, bodyDigest: digestOf(fingerprint) }
  const reserved = await reserve(db, reservation)
  if (!reserved.ok) return reserved
  if (reserved.value) return replay(reserved.value, reader)
  // The cause is what is told: in a transaction that failed the release fails too, and the rollback gives the key back.
  const outcome = await work().catch(async (error: unknown) => {
    await release(db, reservation).catch(() => undefined)
    throw error
  })
  if (outcome.ok && !(outcome.value instanceof Response)) {
    const { status, value } = outcome.value
    await keep(db, reservation, { status, answer: encryptAnswer(value, reader) })
  } else await release(db, reservation)
  return outcome
}

function replay({ status, answer }: Kept, reader: AnswerReader): Result<Answer> {
  const value = decryptAnswer(answer, reader)
  if (value !== undefined) return ok({ status, value, replayed: true })
  const message =
    'This request was carried out before, but its answer can no longer be read. Look at what it changed instead.'
  return refuse({ code: 'IDEMPOTENCY_MISMATCH', message })
}
