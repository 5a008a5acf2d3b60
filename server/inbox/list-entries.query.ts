import sql, { type Sql } from 'sql-template-tag'
import type { InboxFilter, InboxPage, InboxStats } from '#contracts/inbox.contract.ts'
import { type InboxState, inboxMachine } from '#domain/inbox/inbox.machine.ts'
import { startOfDay } from '#domain/kernel/days.ts'
import { keyset, patternOf } from '#server/ledger/list.ts'
import { type Listing, listPage, type TextSearch } from '#server/ledger/list-page.ts'
import { columns } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import type { MetricName } from '#server/metrics/catalogue.ts'
import type { Step } from '#server/metrics/points.ts'
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

const ENDED = 'garden_inbox_entries_total' satisfies MetricName
const STEP: Step = 900

/**
 * `GET /inbox/stats`; today is the day in UTC by the database clock, and an entry belongs to the day on which it ended, whenever it was received. What ended is
 * read from what was counted then, as `inboxDays` does: it follows the events by seconds and looks at no entry.
 */
export async function inboxStats({ db }: Pick<Services, 'db'>): Promise<InboxStats> {
  const { rows } = await db.query<InboxStats>(statsStatement())
  return rows[0] ?? { pending: 0, processed_today: 0, rejected_today: 0, expired_today: 0 }
}

/** What `inboxStats` reads; named for the test of its plan. */
export function statsStatement(): Sql {
  const today = sql`date_trunc('day', clock_timestamp() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'`
  const ended = (name: InboxState) =>
    sql`coalesce(sum(p.count) FILTER (WHERE p.labels ->> 'outcome' = ${state(inboxMachine, name)}), 0)::float8`
  return sql`SELECT (SELECT count(*) FROM inbox_entry WHERE status = ${state(inboxMachine, 'pending')}) AS pending,
      ${ended('processed')} AS processed_today, ${ended('rejected')} AS rejected_today, ${ended('expired')} AS expired_today
    FROM metric_point p WHERE p.step = ${STEP} AND p.name = ${ENDED} AND p.at >= (SELECT ${today})`
}
