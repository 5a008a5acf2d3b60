/**
 * A consumer of sealed events: reads those after its own position in order, handles them, and moves the position when all of them are done
 * ([outbox#how-it-works]). Delivery is at least once, because a process may die in between, so effects are idempotent. One process at a time
 * works for a consumer, under a short lease of its row; the others find it taken. Where a batch takes longer than its lease, another begins it as well, and
 * the first to end moves the position: every batch that is done counts, so two slow processes never keep each other from going on.
 */
import sql from 'sql-template-tag'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { type SealedEvent, sealedAfter } from '#server/ledger/seal.ts'
import { redactText } from '#server/redaction/redact.ts'

/** The consumer that writes objects. */
export const PROJECTOR = 'projector'

/** Events of one batch: as many as this mean that there may be more. */
export const CONSUMED_AT_ONCE = 256
/**
 * How long after a seal a consumer begins. Its work is due within seconds; at the moment of the seal the same processors apply the decision
 * and bring the event to open pages.
 */
export const CONSUMER_REST_MS = 200

const LEASE_SECONDS = 30

export type Consumer = {
  name: string
  holder: string
  /** Done under the lease, before the next batch. */
  before?(): Promise<unknown>
  handle(events: SealedEvent[]): Promise<void>
}

/** Handles the next batch. Returns how many events were done: 0 when there are none, or another process holds the lease or was first. */
export async function consume(db: Db, consumer: Consumer): Promise<number> {
  const from = await acquire(db, consumer)
  if (from === null) return 0
  await consumer.before?.()
  const events = await sealedAfter(db, from, CONSUMED_AT_ONCE)
  if (events.length === 0) return 0
  try {
    await consumer.handle(events)
  } catch (error) {
    await recordFailure(db, consumer, redactText(String((error as Error).message)).slice(0, 500))
    throw error
  }
  const last = events.at(-1)?.seq ?? from
  const { rowCount } =
    await db.query(sql`UPDATE consumer AS c SET seq = ${last}, updated_at = clock_timestamp(), last_error = NULL,
      lease_expires_at = CASE WHEN c.lease_holder = ${consumer.holder}
        THEN clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}) ELSE c.lease_expires_at END
    WHERE c.name = ${consumer.name} AND c.seq = ${from}`)
  return rowCount ? events.length : 0
}

async function acquire(db: Db, { name, holder }: Consumer): Promise<number | null> {
  const { rows } = await db.query<
    Row<'consumer', 'seq'>
  >(sql`INSERT INTO consumer AS c (name, lease_holder, lease_expires_at)
    VALUES (${name}, ${holder}, clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}))
    ON CONFLICT (name) DO UPDATE SET lease_holder = ${holder}, lease_expires_at = excluded.lease_expires_at
    WHERE c.lease_holder = ${holder} OR c.lease_expires_at IS NULL OR c.lease_expires_at < clock_timestamp()
    RETURNING seq`)
  return rows[0]?.seq ?? null
}

async function recordFailure(db: Db, { name, holder }: Consumer, message: string): Promise<void> {
  await db.query(
    sql`UPDATE consumer SET last_error = ${message}, updated_at = clock_timestamp() WHERE name = ${name} AND lease_holder = ${holder}`,
  )
}

/** Releases the lease, so that another process takes over at once. */
export async function release(db: Db, { name, holder }: Pick<Consumer, 'name' | 'holder'>): Promise<void> {
  await db.query(
    sql`UPDATE consumer SET lease_holder = NULL, lease_expires_at = NULL WHERE name = ${name} AND lease_holder = ${holder}`,
  )
}

/** How far a consumer is behind the head of the chain, in events. */
export async function backlog(db: Db, name: string): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    sql`SELECT (SELECT seq FROM event_head) - coalesce((SELECT seq FROM consumer WHERE name = ${name}), 0) AS n`,
  )
  return rows[0]?.n ?? 0
}
