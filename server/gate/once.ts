import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { bodyDigest, IDEMPOTENCY_KEY, keep, release, reserve } from '#server/auth/idempotency.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Answer } from './gate.ts'

type Request = { key: string; endpoint: string; caller: Caller; fingerprint: string }

/**
 * Runs `work` once per caller and Idempotency-Key: a repeat gets the kept answer. A refusal, a fault and a raw Response give
 * the key back, since there is nothing to repeat.
 */
export async function once(db: Db, request: Request, work: () => Promise<Result<Answer>>) {
  const { key, endpoint, caller, fingerprint } = request
  if (!IDEMPOTENCY_KEY.test(key)) {
    return refuse({ code: 'BAD_REQUEST', message: 'An Idempotency-Key has 1 to 128 visible characters.' })
  }
  const digest = bodyDigest(Buffer.from(fingerprint))
  const reservation = { identity: caller.identity, key, endpoint, digest }
  const reserved = await reserve(db, reservation)
  if (!reserved.ok) return reserved
  if (reserved.value) {
    return ok<Answer>({ status: reserved.value.status, value: reserved.value.answer, replayed: true })
  }
  try {
    const outcome = await work()
    if (outcome.ok && !(outcome.value instanceof Response)) {
      await keep(db, reservation, { status: outcome.value.status, answer: outcome.value.value })
    } else await release(db, reservation)
    return outcome
  } catch (error) {
    await release(db, reservation)
    throw error
  }
}
