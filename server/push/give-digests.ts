/**
 * Makes the daily digests that are due ([needs#digest]). The row of an account and a day is the guard: whoever inserts it, once, also asks for the
 * messages, in the same transaction. A day on which nothing waited has its row too, so that what comes later that day makes no digest.
 */
import sql from 'sql-template-tag'
import type { Role } from '#domain/authority/caller.ts'
import { type Dated, digestDay, digestTotal } from '#domain/inbox/digest.rules.ts'
import type { PushTopic } from '#domain/push/push.rules.ts'
import { ledgerNow } from '#server/ledger/clock.ts'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import { countKinds } from '#server/needs/count-needs.ts'
import { defaultChoices } from './get-push-settings.query.ts'
import { requestMessages } from './request-messages.ts'

type Reader = Dated & { account_id: string; role: Role; topics: PushTopic[]; last_day: string | null }

/** Returns how many digests were made in which something waits. `moment` is the database's clock by default. */
export async function giveDigests({ db }: { db: Db }, moment?: Date): Promise<number> {
  const now = moment ?? (await ledgerNow(db))
  let made = 0
  for (const reader of await readers(db)) {
    const day = digestDay(reader, now)
    if (day === null || day === reader.last_day) continue
    if (await db.transaction((tx) => give(tx, reader, { day, now }))) made += 1
  }
  return made
}

/** Whoever wants a digest, in the console or on a device. */
async function readers(db: Db): Promise<Reader[]> {
  const { topics, digest, digest_at, time_zone } = defaultChoices()
  const { rows } =
    await db.query<Reader>(sql`SELECT a.account_id, a.role, a.created_at, coalesce(c.topics, ${topics}::text[]) AS topics,
      coalesce(c.digest_at, ${digest_at}::int) AS digest_at, coalesce(c.time_zone, ${time_zone}) AS time_zone,
      (SELECT max(d.day)::text FROM needs_digest d WHERE d.account_id = a.account_id) AS last_day
    FROM account a LEFT JOIN notification_choice c ON c.account_id = a.account_id
    WHERE a.disabled_at IS NULL AND (coalesce(c.digest, ${digest}) OR 'digest' = ANY(c.topics))`)
  return rows
}

async function give(tx: Db, reader: Reader, { day, now }: { day: string; now: Date }): Promise<boolean> {
  const { account_id, role, topics } = reader
  const counts = await countKinds(tx, role)
  const total = digestTotal(counts)
  const { rowCount } =
    await tx.query(sql`INSERT INTO needs_digest (account_id, day, counts, total, created_at)
    VALUES (${account_id}, ${day}::date, ${json(counts)}, ${total}::int, ${now}) ON CONFLICT DO NOTHING`)
  if (!rowCount || total === 0) return false
  if (topics.includes('digest'))
    await requestMessages(tx, { account_id, topic: 'digest', subjects: [day], now })
  return true
}
