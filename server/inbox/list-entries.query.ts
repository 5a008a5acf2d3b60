import sql, { type Sql } from 'sql-template-tag'
import type { InboxFilter, InboxPage, InboxStats } from '#contracts/inbox.contract.ts'
import { type InboxState, inboxMachine } from '#domain/inbox/inbox.machine.ts'
import { startOfDay } from '#domain/kernel/days.ts'
import { keyset, patternOf } from '#server/ledger/list.ts'
import { type Listing, listPage, type TextSearch } from '#server/ledger/list-page.ts'
import { columns } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import type { Services } from '#server/services.ts'
import { entryView, VIEWED, type ViewRow } from './entry-view.ts'

const EXPIRED = state(inboxMachine, inboxMachine.events.expire.to)

export const newestEntries = keyset(
  'inbox_entry',
  'entries',
  { received_at: 'time', inbox_id: 'text' },
  'desc',
)

/** `GET /inbox/entries`, newest first; expired ones only when asked for, by their state or by a day. */
export async function listEntries({ db }: Pick<Services, 'db'>, f: InboxFilter): Promise<InboxPage> {
  const found = await listPage<ViewRow>(db, entryListing(f), f.limit)
  const page = newestEntries.page(found, f.limit)
  return { items: page.rows.map(entryView), next_cursor: page.next_cursor }
}

export const entryListing = (f: InboxFilter): Listing => ({
  columns: columns('inbox_entry', 'o', VIEWED),
  from: sql`inbox_entry o`,
  where: [...filterOf(f), newestEntries.after('o', f.cursor)],
  order: newestEntries.order('o'),
  search: f.q ? searchOf(f.q) : null,
})

function filterOf({ status, action, source, from, to }: InboxFilter): Sql[] {
  const days = from !== undefined || to !== undefined
  const [start, end] = [startOfDay(from), startOfDay(to, 1)]
  return [
    ...(status ? [sql`o.status = ${status}`] : days ? [] : [sql`o.status <> ${EXPIRED}`]),
    ...(start ? [sql`o.received_at >= ${start}`] : []),
    ...(end ? [sql`o.received_at < ${end}`] : []),
    ...(action ? [sql`o.action = ${action}`] : []),
    ...(source ? [sql`o.source_identity = ${source}`] : []),
  ]
}

/** A part of the target or of the summary, along `inbox_entry_words`, or the whole id. */
function searchOf(text: string): TextSearch {
  const has = (pattern: Sql) => sql`(o.target ILIKE ${pattern} OR o.summary ILIKE ${pattern})`
  const named = sql`o.inbox_id = ${text}`
  return {
    words: text.split(/\s+/),
    has,
    holds: sql`(${has(sql`${patternOf(text)}`)} OR ${named})`,
    indexed: (word) => (word === null ? null : [has(sql`${patternOf(word)}`), named]),
  }
}

/** `GET /inbox/stats`; today is the day in UTC. SQL: four counts in one pass, by the database clock, each of entries of `inbox_entry_status` alone. */
export async function inboxStats({ db }: Pick<Services, 'db'>): Promise<InboxStats> {
  const counted = (which: Sql) => sql`(SELECT count(*) FROM inbox_entry WHERE ${which})`
  const today = sql`date_trunc('day', clock_timestamp() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'`
  const ofToday = (name: InboxState) =>
    counted(sql`status = ${state(inboxMachine, name)} AND received_at >= (SELECT ${today})`)
  const { rows } = await db.query<InboxStats>(sql`SELECT
      ${counted(sql`status = ${state(inboxMachine, 'pending')}`)} AS pending,
      ${ofToday('processed')} AS processed_today, ${ofToday('rejected')} AS rejected_today, ${ofToday('expired')} AS expired_today`)
  return rows[0] ?? { pending: 0, processed_today: 0, rejected_today: 0, expired_today: 0 }
}
