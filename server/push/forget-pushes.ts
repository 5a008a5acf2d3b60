/**
 * Deletes what was sent long ago ([push#retention]), a bounded number of rows at a time; part of the expiry loop. A message goes once it has
 * ended; a notice only when its thing no longer waits, since its account would be notified of that thing again.
 */
import sql from 'sql-template-tag'
import { PUSH_KEPT_DAYS, type PushTopic } from '#domain/push/push.rules.ts'
import { pushMessageMachine } from '#domain/push/push-message.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import { states } from '#server/ledger/states.ts'
import { waitingOf } from './waiting-by-topic.ts'

const BATCH = 1_000
const ENDED = states(pushMessageMachine, 'delivered', 'dropped', 'failed')
const LONG_AGO = sql`clock_timestamp() - make_interval(days => ${PUSH_KEPT_DAYS})`

/** Returns how many rows it deleted. */
export async function forgetPushes({ db }: { db: Db }): Promise<number> {
  const { rowCount } =
    await db.query(sql`DELETE FROM push_message WHERE message_id IN (SELECT o.message_id FROM push_message o
    WHERE o.ended_at < ${LONG_AGO} AND o.status IN ${ENDED} ORDER BY o.ended_at LIMIT ${BATCH})`)
  // What waits is looked for only where there is an old notice.
  const { rows } = await db.query<{ topic: Exclude<PushTopic, 'digest'> }>(
    sql`SELECT DISTINCT topic FROM push_notice WHERE noticed_at < ${LONG_AGO}`,
  )
  let deleted = rowCount ?? 0
  for (const { topic } of rows) deleted += await forgetNotices(db, topic)
  return deleted
}

/** By what waits for an owner, who sees whatever anybody sees. */
async function forgetNotices(db: Db, topic: Exclude<PushTopic, 'digest'>): Promise<number> {
  const { rowCount } =
    await db.query(sql`DELETE FROM push_notice n USING (SELECT o.account_id, o.subject FROM push_notice o
      WHERE o.topic = ${topic} AND o.noticed_at < ${LONG_AGO}
        AND NOT EXISTS (SELECT FROM ${waitingOf(topic, 'owner')} w WHERE w.subject = o.subject)
      ORDER BY o.noticed_at LIMIT ${BATCH}) gone
    WHERE n.topic = ${topic} AND n.account_id = gone.account_id AND n.subject = gone.subject`)
  return rowCount ?? 0
}
