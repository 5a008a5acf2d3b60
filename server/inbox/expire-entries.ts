import sql from 'sql-template-tag'
import { SCHEDULER } from '#domain/authority/caller.ts'
import type { Services } from '#server/composition/services.ts'
import { move } from '#server/ledger/move.ts'

/** Entries that nobody could resolve within their hours are expired (contract page 01, section 1.3); returns how many, at most `limit`. */
export async function expireEntries({ db }: Pick<Services, 'db'>, limit = 500): Promise<number> {
  const rows = await move(db, {
    machine: 'inbox_entry',
    event: 'expire',
    actor: SCHEDULER,
    where: sql`o.expires_at <= clock_timestamp()`,
    batch: { order: sql`o.expires_at, o.inbox_id`, limit },
    returning: sql`m.inbox_id`,
  })
  return rows.length
}
