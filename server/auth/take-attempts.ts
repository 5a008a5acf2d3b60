/**
 * Attempts at secrets that a person types, bounded per subject [auth#sign-in]. An attempt is counted before the secret is compared and
 * taken back when it was right, so parallel guesses cannot pass the bound.
 */
import type { Refusal } from '#domain/kernel/errors.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'
import { type Bound, clearHits, countHit, type Hit, takeBackHits } from './count-hit.ts'

export type AttemptsTaken = { hits: Hit[] }

class BoundReached extends Error {
  readonly wait: number
  constructor(wait: number) {
    super('bound reached')
    this.wait = wait
  }
}

const rateLimited = (wait: number): Refusal => ({
  code: 'RATE_LIMITED',
  message: 'Too many failed attempts. Wait before you try again.',
  retryAfter: Math.max(1, Math.ceil(wait)),
})

/** Counts one attempt against every bound, or none: the refusal then says when to come back (`retryAfter`). */
export async function takeAttempts(db: Db, bounds: Bound[]): Promise<Result<AttemptsTaken>> {
  try {
    const hits = await db.transaction(async (tx) => {
      const taken: Hit[] = []
      for (const bound of bounds) {
        const { hit, wait } = await countHit(tx, bound)
        if (!hit) throw new BoundReached(wait)
        taken.push(hit)
      }
      return taken
    })
    return ok({ hits })
  } catch (error) {
    if (error instanceof BoundReached) return refuse(rateLimited(error.wait))
    throw error
  }
}

/** The secret was right: these attempts do not count, and the count of `cleared` starts again. */
export async function giveBackAttempts(
  db: Db,
  taken: AttemptsTaken,
  cleared: string | null = null,
): Promise<void> {
  await takeBackHits(db, taken.hits)
  if (cleared !== null) await clearHits(db, cleared)
}
