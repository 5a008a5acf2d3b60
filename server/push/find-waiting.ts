import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { Waiting } from './push-text.ts'

export type Claimed = Row<
  'push_message',
  'message_id' | 'account_id' | 'subscription_id' | 'topic' | 'subjects' | 'attempts' | 'fence' | 'created_at'
>

/** What of a message's subjects still waits, or null when nothing does. */
export async function findWaiting(_db: Db, message: Claimed, _now: Date): Promise<Waiting | null> {
  if (message.topic === 'test') return { count: 1, summary: null, url: '/settings' }
  return null
}
