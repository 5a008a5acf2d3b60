/**
 * Asks for messages about what began to wait ([push#topics]): one look, one worker at a time. What waits is read from the things themselves, so
 * nothing has to announce itself; the key of a notice makes that an account is notified of each thing once. What begins to wait within the quiet
 * time after a message is gathered into the next.
 */
import sql from 'sql-template-tag'
import type { Role } from '#domain/authority/caller.ts'
import { MAX_SUBJECTS, type PushTopic, QUIET_SECONDS } from '#domain/push/push.rules.ts'
import { ledgerNow } from '#server/ledger/clock.ts'
import type { Db } from '#server/ledger/database.ts'
import { defaultChoices, topicsOf } from './get-push-settings.query.ts'
import { requestMessages } from './request-messages.ts'
import { waitingOf } from './waiting-by-topic.ts'

/** `since`: its first device; what waited before is no news. */
type Listener = { account_id: string; role: Role; topics: PushTopic[]; since: Date }

/** Returns how many messages were asked for; null when another worker is at it. `moment` is the database's clock by default. */
export function noticeWaiting({ db }: { db: Db }, moment?: Date): Promise<number | null> {
  return db.transaction(async (tx) => {
    if (!(await isMine(tx))) return null
    const now = moment ?? (await ledgerNow(tx))
    let asked = 0
    for (const listener of await listeners(tx))
      for (const topic of topicsOf(listener.role))
        if (topic !== 'digest' && listener.topics.includes(topic))
          asked += await notice(tx, listener, { topic, now })
    return asked
  })
}

async function isMine(tx: Db): Promise<boolean> {
  const { rows } = await tx.query<{ mine: boolean }>(
    sql`SELECT pg_try_advisory_xact_lock(hashtextextended('push', 0)) AS mine`,
  )
  return rows[0]?.mine ?? false
}

async function listeners(tx: Db): Promise<Listener[]> {
  const { rows } =
    await tx.query<Listener>(sql`SELECT a.account_id, a.role, coalesce(c.topics, ${defaultChoices().topics}::text[]) AS topics,
      d.since FROM (SELECT account_id, min(created_at) AS since FROM push_subscription GROUP BY account_id) d
      JOIN account a ON a.account_id = d.account_id LEFT JOIN notification_choice c ON c.account_id = a.account_id
    WHERE a.disabled_at IS NULL ORDER BY a.account_id`)
  return rows
}

async function notice(
  tx: Db,
  { account_id, role, since }: Listener,
  { topic, now }: { topic: Exclude<PushTopic, 'digest'>; now: Date },
): Promise<number> {
  const { rows } = await tx.query<{
    subject: string
  }>(sql`INSERT INTO push_notice (account_id, topic, subject, noticed_at)
    SELECT ${account_id}, ${topic}, w.subject, ${now} FROM ${waitingOf(topic, role)} w
    WHERE w.since >= ${since} AND NOT EXISTS (SELECT FROM push_notice n WHERE n.account_id = ${account_id} AND n.topic = ${topic} AND n.subject = w.subject)
      AND NOT EXISTS (SELECT FROM push_message m WHERE m.account_id = ${account_id} AND m.topic = ${topic}
        AND m.created_at > ${now}::timestamptz - make_interval(secs => ${QUIET_SECONDS}))
    ORDER BY w.since LIMIT ${MAX_SUBJECTS} ON CONFLICT DO NOTHING RETURNING subject`)
  if (rows.length === 0) return 0
  return requestMessages(tx, { account_id, topic, subjects: rows.map(({ subject }) => subject), now })
}
