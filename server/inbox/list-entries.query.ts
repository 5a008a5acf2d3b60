import sql from 'sql-template-tag'
import type { InboxFilter, InboxPage, InboxStats } from '#contracts/inbox.contract.ts'
import { inboxMachine } from '#domain/inbox/inbox.machine.ts'
import { startOfDay } from '#domain/kernel/days.ts'
import type { Prisma } from '#prisma/generated/client.ts'
import { keyset, like } from '#server/ledger/list.ts'
import { rowsOf } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import type { Services } from '#server/services.ts'
import { ENTRY_SELECT, entryView } from './entry-view.ts'

const EXPIRED = inboxMachine.events.expire.to

export const newestEntries = keyset(
  'inbox_entry',
  'entries',
  { received_at: 'time', inbox_id: 'text' },
  'desc',
)

/** `GET /inbox/entries`, newest first; expired ones only when asked for, by their state or by a day. */
export async function listEntries({ reads }: Pick<Services, 'reads'>, f: InboxFilter): Promise<InboxPage> {
  const rows = await reads.inboxEntry.findMany({
    select: ENTRY_SELECT,
    ...newestEntries.slice(filterOf(f), f),
  })
  const page = newestEntries.page(rowsOf('inbox_entry', rows), f.limit)
  return { items: page.rows.map(entryView), next_cursor: page.next_cursor }
}

function filterOf({ status, action, source, q, from, to }: InboxFilter): Prisma.InboxEntryWhereInput {
  const text = q && ({ contains: like(q), mode: 'insensitive' } as const)
  const days = from !== undefined || to !== undefined
  const [start, end] = [startOfDay(from), startOfDay(to, 1)]
  return {
    ...(status ? { status } : days ? {} : { status: { not: EXPIRED } }),
    ...(days && { received_at: { ...(start && { gte: start }), ...(end && { lt: end }) } }),
    ...(action && { action }),
    ...(source && { source_identity: source }),
    ...(text && { OR: [{ target: text }, { summary: text }, { inbox_id: q }] }),
  }
}

/** `GET /inbox/stats`; today is the day in UTC. SQL: four counts in one pass, by the database clock. */
export async function inboxStats({ db }: Pick<Services, 'db'>): Promise<InboxStats> {
  const { rows } = await db.query<InboxStats>(sql`SELECT
      (SELECT count(*) FROM inbox_entry WHERE status = ${state(inboxMachine, 'pending')}) AS pending,
      count(*) FILTER (WHERE status = ${state(inboxMachine, 'processed')}) AS processed_today,
      count(*) FILTER (WHERE status = ${state(inboxMachine, 'rejected')}) AS rejected_today,
      count(*) FILTER (WHERE status = ${state(inboxMachine, 'expired')}) AS expired_today
    FROM inbox_entry WHERE received_at >= date_trunc('day', clock_timestamp() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'`)
  return rows[0] ?? { pending: 0, processed_today: 0, rejected_today: 0, expired_today: 0 }
}
