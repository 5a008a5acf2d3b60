import sql from 'sql-template-tag'
import type { Db } from './database.ts'

/** A difference that people and tokens can notice; below it lie slow answers and coarse clocks. */
export const NOTABLE_SKEW_MS = 5_000

/** The moment by the database's clock, which dates everything that another process compares. */
export async function databaseNow(db: Pick<Db, 'query'>): Promise<Date> {
  const { rows } = await db.query<{ now: Date }>(sql`SELECT clock_timestamp() AS now`)
  if (!rows[0]) throw new Error('the database did not say its time')
  return rows[0].now
}

/** By how many milliseconds the clock of this process is ahead of the database's; the way of the question is counted half. */
export async function clockSkewMs(db: Pick<Db, 'query'>, clock: () => number = Date.now): Promise<number> {
  const asked = clock()
  const now = await databaseNow(db)
  const answered = clock()
  return Math.round((asked + answered) / 2 - now.getTime())
}

/** The difference in words, or null while it is not worth one. */
export function skewInWords(skewMs: number): string | null {
  if (Math.abs(skewMs) <= NOTABLE_SKEW_MS) return null
  return `${Math.round(Math.abs(skewMs) / 1000)} s ${skewMs > 0 ? 'ahead of' : 'behind'} the database's clock`
}
