import sql from 'sql-template-tag'
import type { Role } from '#domain/authority/caller.ts'
import { may } from '#domain/authority/matrix.ts'
import { digestTotal } from '#domain/inbox/digest.rules.ts'
import { PUSH_TOPICS, type PushLanguage } from '#domain/push/push.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { countKinds } from '#server/needs/count-needs.ts'
import { redactText } from '#server/redaction/redact.ts'
import { digestText, type Waiting } from './push-text.ts'
import { TOPIC_PAGES, waitingOf } from './waiting-by-topic.ts'

export type Claimed = Row<
  'push_message',
  'message_id' | 'account_id' | 'subscription_id' | 'topic' | 'subjects' | 'attempts' | 'fence' | 'created_at'
>

/** Whom a message is for: what no longer waits for this role is not sent. */
export type Reader = { role: Role; language: PushLanguage }

/** What of a message's subjects still waits, or null when nothing does. */
export async function findWaiting(
  db: Db,
  { topic, subjects, account_id }: Claimed,
  { role, language }: Reader,
): Promise<Waiting | null> {
  if (topic === 'test') return { count: 1, summary: null, url: '/settings' }
  if (!PUSH_TOPICS[topic].some((action) => may(role, action))) return null
  if (topic === 'digest') return unread(db, { account_id, day: subjects[0] ?? '' }, { role, language })
  const { rows } = await db.query<Waiting>(sql`SELECT count(*) OVER ()::int AS count, w.summary, w.url
    FROM ${waitingOf(topic, role)} w WHERE w.subject = ANY(${subjects}::text[]) ORDER BY w.since LIMIT 1`)
  const [first] = rows
  if (!first) return null
  const summary = first.summary && redactText(first.summary)
  return first.count === 1 ? { ...first, summary } : { ...first, summary, url: TOPIC_PAGES[topic] }
}

/** What waits now, for a digest that nobody has read since. */
async function unread(
  db: Db,
  of: { account_id: string; day: string },
  { role, language }: Reader,
): Promise<Waiting | null> {
  const { rows } = await db.query(
    sql`SELECT day FROM needs_digest WHERE account_id = ${of.account_id} AND day = ${of.day}::date AND read_at IS NULL`,
  )
  const counts = await countKinds(db, role)
  const count = digestTotal(counts)
  return rows.length > 0 && count > 0
    ? { count, summary: digestText(counts, language), url: TOPIC_PAGES.digest }
    : null
}
