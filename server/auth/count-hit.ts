/**
 * How often something happened in a sliding period, counted in the ledger where every process sees it. Requests and attempts at
 * secrets are counted by this one rule [auth#rate-limits].
 *
 * Exact: hits of one subject are counted one after the other, whichever processes they come through, and never more than the
 * bound pass in any period. Approximate: the period is kept in sixty slices, so that the cost does not grow with the bound; who may
 * pass again waits up to one slice too long (1 s of a minute, 15 s of a quarter of an hour). A hit that is refused does not count.
 * The table is unlogged: after a crash of PostgreSQL the counts start again.
 */
import sql from 'sql-template-tag'
import type { Db } from '#server/ledger/database.ts'
import { prepared } from '#server/ledger/prepared.ts'

export type Bound = { subject: string; max: number; period: '1 minute' | '15 minutes' | '1 hour' }
/** One counted hit, by which it can be taken back. */
export type Hit = { subject: string; slice: Date }
/** `hit` is null where the bound was reached; `wait` is the seconds until the oldest hits stop counting. */
export type Counted = { hit: Hit | null; taken: number; wait: number }

/** Counts one hit now, or at the time given. */
export async function countHit(
  db: Pick<Db, 'query'>,
  { subject, max, period }: Bound,
  at?: Date,
): Promise<Counted> {
  const { rows } = await db.query<{ slice: Date | null; taken: number; wait: number }>(
    prepared(sql`SELECT slice, taken, wait
      FROM bloom_count_hit(${subject}, ${max}, ${period}::interval, coalesce(${at ?? null}::timestamptz, clock_timestamp())) AS c(slice, taken, wait)`),
  )
  const [row] = rows
  if (!row) throw new Error('bloom_count_hit returned no row')
  const { slice, taken, wait } = row
  return { hit: slice && { subject, slice }, taken, wait }
}

/** Takes these hits back. */
export async function takeBackHits(db: Db, hits: readonly Hit[]): Promise<void> {
  await db.query(sql`UPDATE rate_slice r SET hits = r.hits - 1
    FROM unnest(${hits.map((hit) => hit.subject)}::text[], ${hits.map((hit) => hit.slice)}::timestamptz[]) AS h(subject, slice)
    WHERE r.subject = h.subject AND r.slice = h.slice AND r.hits > 0`)
}

/** Forgets every hit of the subject. */
export async function clearHits(db: Db, subject: string): Promise<void> {
  await db.query(sql`DELETE FROM rate_slice WHERE subject = ${subject}`)
}

/** Removes what no period reaches any more; subjects that come again remove their own. */
export async function sweepHits(db: Db): Promise<void> {
  await db.query(sql`DELETE FROM rate_slice WHERE slice < clock_timestamp() - interval '61 minutes'`)
}
