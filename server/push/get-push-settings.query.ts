import sql from 'sql-template-tag'
import type { PushSettings } from '#contracts/push.contract.ts'
import type { Caller, Role } from '#domain/authority/caller.ts'
import { may } from '#domain/authority/matrix.ts'
import {
  DEFAULT_CHOICES,
  PUSH_TOPIC_NAMES,
  PUSH_TOPICS,
  type PushChoices,
  type PushTopic,
} from '#domain/push/push.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { deviceView } from '#server/push-devices/manage-devices.ts'
import { announcedKey } from '#server/push-devices/push-key.ts'

declare module '#server/ledger/rows.ts' {
  interface Shapes {
    notification_choice: { topics: PushTopic[] }
  }
}

/** What a person of this role can be notified of. */
export const topicsOf = (role: Role): PushTopic[] =>
  PUSH_TOPIC_NAMES.filter((topic) => PUSH_TOPICS[topic].some((action) => may(role, action)))

/** What holds where nobody has chosen. */
export const defaultChoices = (): PushChoices => ({
  ...DEFAULT_CHOICES,
  time_zone: new Intl.DateTimeFormat('en').resolvedOptions().timeZone,
})

/** The devices and choices of the caller's account. SQL: a write that is seen by the read after it, in the same statement as its devices. */
export async function getPushSettings({ db }: { db: Db }, caller: Caller): Promise<PushSettings> {
  const account = caller.accountId ?? null
  const [server_key, chosen, devices] = [
    await announcedKey(db),
    await db.query<Row<'notification_choice', 'topics' | 'digest' | 'digest_at' | 'time_zone'>>(
      sql`SELECT topics, digest, digest_at, time_zone FROM notification_choice WHERE account_id = ${account}`,
    ),
    await db.query<
      Row<
        'push_subscription',
        'subscription_id' | 'device' | 'endpoint' | 'created_at' | 'last_sent_at' | 'last_error'
      >
    >(sql`SELECT subscription_id, device, endpoint, created_at, last_sent_at, last_error
      FROM push_subscription WHERE account_id = ${account} ORDER BY created_at DESC, subscription_id`),
  ]
  return {
    server_key,
    topics: topicsOf(caller.role),
    choices: chosen.rows[0] ?? defaultChoices(),
    devices: devices.rows.map(deviceView),
  }
}
