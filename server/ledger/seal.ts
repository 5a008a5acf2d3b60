import sql, { type Sql } from 'sql-template-tag'
import type { Db } from './database.ts'
import type { Row } from './rows.ts'

/**
 * A sealed event as consumers read it: `seq` is dense and in order of sealing, `number` is that of its row; `body` is the exact text that
 * was hashed.
 */
export type SealedEvent = Row<'event_seal', 'seq' | 'prev_hash' | 'hash' | 'sealed_at'> & {
  number: number
} & Row<
    'event',
    | 'event_id'
    | 'ts'
    | 'name'
    | 'actor'
    | 'resource_type'
    | 'resource_id'
    | 'transition'
    | 'from_status'
    | 'to_status'
    | 'reason'
    | 'outcome'
    | 'correlation_id'
    | 'refs'
    | 'details'
    | 'body'
  >

export const SEAL_BATCH = 2_000

/** Seals the next batch; returns how many events were sealed: 0 also when another process is at it [ledger#sealing]. */
export async function sealBatch(db: Db, max = SEAL_BATCH): Promise<number> {
  const { rows } = await db.query<{ n: number }>(sql`SELECT bloom_seal(${max}) AS n`)
  return rows[0]?.n ?? 0
}

/** Seals what has been committed since the last time, in batches; returns how many events were sealed. */
export async function sealAll(db: Db): Promise<number> {
  let total = 0
  for (;;) {
    const n = await sealBatch(db)
    total += n
    if (n < SEAL_BATCH) return total
  }
}

/** Sealed events after `seq`, in order. */
export const sealedAfter = (db: Db, seq: number, limit: number): Promise<SealedEvent[]> =>
  sealedWhere(db, sql`s.seq > ${seq} ORDER BY s.seq LIMIT ${limit}`)

/** All sealed events of one thing, in order; of the type `audit`, the one event with this id. */
export function sealedOf(
  db: Db,
  of: Pick<SealedEvent, 'resource_type' | 'resource_id'>,
): Promise<SealedEvent[]> {
  const one =
    of.resource_type === 'audit'
      ? sql`e.event_id = ${of.resource_id}`
      : sql`e.resource_type = ${of.resource_type} AND e.resource_id = ${of.resource_id}`
  return sealedWhere(db, sql`${one} ORDER BY s.seq`)
}

async function sealedWhere(db: Db, where: Sql): Promise<SealedEvent[]> {
  const { rows } =
    await db.query<SealedEvent>(sql`SELECT s.seq, s.prev_hash, s.hash, s.sealed_at, s.event AS number, e.event_id, e.ts, e.name, e.actor, e.resource_type, e.resource_id, e.transition,
      e.from_status, e.to_status, e.reason, e.outcome, e.correlation_id, e.refs, e.details, e.body
    FROM event_seal s JOIN event e ON e.id = s.event WHERE ${where}`)
  return rows
}

/** The last sealed number; 0 before the first. */
export async function lastSeal(db: Db): Promise<number> {
  const { rows } = await db.query<{ seq: number }>(sql`SELECT seq FROM event_head`)
  return rows[0]?.seq ?? 0
}
