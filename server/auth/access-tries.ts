/**
 * Tries of secrets that a person types, bounded per subject (contract page 09, sections 3.1 and 4). A try is
 * taken before the secret is looked at and given back when it was right; parallel guesses cannot pass the bound.
 */
import type { Refusal } from '#domain/kernel/errors.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'
import { type Bound, clearHits, countHit, type Hit, takeBackHits } from './count-hit.ts'

export type Taken = { hits: Hit[] }

class Bounded extends Error {
  readonly wait: number
  constructor(wait: number) {
    super('bounded')
    this.wait = wait
  }
}

const rateLimited = (wait: number): Refusal => ({
  code: 'RATE_LIMITED',
  message: 'Too many wrong tries. Wait before the next one.',
  retryAfter: Math.max(1, Math.ceil(wait)),
})

/** Takes one try of every bound, or none and the refusal with its `retryAfter`. */
export async function takeTries(database: Db, bounds: Bound[]): Promise<Result<Taken>> {
  try {
    const hits = await database.transaction(async (tx) => {
      const taken: Hit[] = []
      for (const bound of bounds) {
        const { hit, wait } = await countHit(tx, bound)
        if (!hit) throw new Bounded(wait)
        taken.push(hit)
      }
      return taken
    })
    return ok({ hits })
  } catch (error) {
    if (error instanceof Bounded) return refuse(rateLimited(error.wait))
    throw error
  }
}

/** The secret was right: these tries were none, and `cleared` begins anew. */
export async function giveBackTries(
  database: Db,
  taken: Taken,
  cleared: string | null = null,
): Promise<void> {
  await takeBackHits(database, taken.hits)
  if (cleared !== null) await clearHits(database, cleared)
}
