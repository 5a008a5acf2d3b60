import sql from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { PushChoices } from '#domain/push/push.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import { topicsOf } from './get-push-settings.query.ts'

/** Keeps what the account wants to be notified of, whole; a topic that is not this role's is left out. */
export async function saveChoices(
  { db }: { db: Db },
  choices: PushChoices,
  caller: Caller,
): Promise<Result<PushChoices>> {
  const topics = topicsOf(caller.role).filter((topic) => choices.topics.includes(topic))
  const { digest, digest_at, time_zone } = choices
  const { rowCount } =
    await db.query(sql`INSERT INTO notification_choice (account_id, topics, digest, digest_at, time_zone)
    SELECT a.account_id, ${topics}, ${digest}, ${digest_at}::int, ${time_zone} FROM account a
    WHERE a.account_id = ${caller.accountId ?? null} AND a.disabled_at IS NULL
    ON CONFLICT (account_id) DO UPDATE SET topics = EXCLUDED.topics, digest = EXCLUDED.digest, digest_at = EXCLUDED.digest_at,
      time_zone = EXCLUDED.time_zone, updated_at = clock_timestamp()`)
  if (rowCount) return ok({ topics, digest, digest_at, time_zone })
  return refuse({ code: 'FORBIDDEN', message: 'Notifications are chosen for an account.' })
}
