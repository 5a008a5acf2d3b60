/**
 * Tries of secrets that a person types, bounded per subject in the ledger (contract page 09, sections 3.1 and 4). A try is
 * taken before the secret is looked at and given back when it was right; parallel guesses cannot pass the bound.
 */
import sql from 'sql-template-tag'
import type { Refusal } from '#domain/kernel/errors.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Database } from '#server/ledger/database.ts'

export type Bound = { subject: string; max: number; period: '15 minutes' | '1 hour' }
export type Taken = { ids: number[] }

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
  retryAfter: Math.ceil(wait),
})

/** Takes one try of every bound, or none and the refusal with its `retryAfter`. */
export async function takeTries(
  database: Pick<Database, 'transaction'>,
  bounds: Bound[],
): Promise<Result<Taken>> {
  try {
    const ids = await database.transaction(async (tx) => {
      const taken: number[] = []
      for (const { subject, max, period } of bounds) {
        const { rows } = await tx.query<{ id: number | null; wait: number }>(
          sql`SELECT id, wait FROM bloom_take_try(${subject}, ${max}, ${period}::interval)`,
        )
        const row = rows[0]
        if (row?.id == null) throw new Bounded(row?.wait ?? 1)
        taken.push(row.id)
      }
      return taken
    })
    return ok({ ids })
  } catch (error) {
    if (error instanceof Bounded) return refuse(rateLimited(error.wait))
    throw error
  }
}

/** The secret was right: these tries were none, and `cleared` begins anew. */
export async function giveBackTries(
  database: Pick<Database, 'query'>,
  taken: Taken,
  cleared: string | null = null,
): Promise<void> {
  await database.query(
    sql`DELETE FROM access_try WHERE id = ANY(${taken.ids}::bigint[]) OR subject = ${cleared}`,
  )
}
