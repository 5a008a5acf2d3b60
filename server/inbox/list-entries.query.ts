/** SQL, not Prisma: text search on JSON. */
import sql from 'sql-template-tag'
import type { InboxFilter, InboxPage, InboxStats } from '#contracts/inbox.contract.ts'
import { inboxMachine } from '#domain/inbox/inbox.machine.ts'
import { keyset, like, whereAll } from '#server/ledger/list.ts'
import { state } from '#server/ledger/states.ts'
import type { Services } from '#server/services.ts'
import { ENTRY_VIEW_COLUMNS, type EntryViewRow, entryView } from './entry-view.ts'

export const newestEntries = keyset(
  'inbox_entry',
  'entries',
  { received_at: 'time', inbox_id: 'text' },
  'desc',
)

/** `GET /inbox/entries`, newest first; expired ones only when asked for. */
export async function listEntries({ db }: Pick<Services, 'db'>, f: InboxFilter): Promise<InboxPage> {
  const text = f.q ? `%${like(f.q)}%` : null
  const where = whereAll(
    f.status ? sql`e.status = ${f.status}` : sql`e.status <> ${state(inboxMachine, 'expired')}`,
    f.action ? sql`e.action = ${f.action}` : null,
    f.source ? sql`e.source_identity = ${f.source}` : null,
    text !== null &&
      sql`(e.target ILIKE ${text} OR e.payload->>'summary' ILIKE ${text} OR e.inbox_id = ${f.q})`,
    newestEntries.after('e', f.cursor),
  )
  const { rows } = await db.query<EntryViewRow>(sql`SELECT ${ENTRY_VIEW_COLUMNS} FROM inbox_entry e ${where}
    ORDER BY ${newestEntries.order('e')} LIMIT ${f.limit + 1}`)
  const page = newestEntries.page(rows, f.limit)
  return { items: page.rows.map(entryView), next_cursor: page.next_cursor }
}

/** `GET /inbox/stats`; today is the day in UTC. */
export async function inboxStats({ db }: Pick<Services, 'db'>): Promise<InboxStats> {
  const { rows } = await db.query<InboxStats>(sql`SELECT
      (SELECT count(*) FROM inbox_entry WHERE status = ${state(inboxMachine, 'pending')}) AS pending,
      count(*) FILTER (WHERE status = ${state(inboxMachine, 'processed')}) AS processed_today,
      count(*) FILTER (WHERE status = ${state(inboxMachine, 'rejected')}) AS rejected_today,
      count(*) FILTER (WHERE status = ${state(inboxMachine, 'expired')}) AS expired_today
    FROM inbox_entry WHERE received_at >= date_trunc('day', clock_timestamp() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'`)
  return rows[0] ?? { pending: 0, processed_today: 0, rejected_today: 0, expired_today: 0 }
}
