/** Reads of the audit: newest first, by keyset over the insertion number; the history of one object; one event. */
import sql, { empty, join, type Sql } from 'sql-template-tag'
import type { AuditEventView, AuditListInput, AuditPage } from '#contracts/audit.contract.ts'
import type { Db } from '#server/ledger/database.ts'
import { EVENT_COLUMNS, type EventRow, eventView } from './event-view.ts'

const HISTORY_LIMIT = 1_000

/** A page of the audit; an unreadable cursor begins at the newest event. */
export async function auditPage(db: Db, input: AuditListInput): Promise<AuditPage> {
  const where = filters(input)
  const { rows } =
    await db.query<EventRow>(sql`SELECT ${EVENT_COLUMNS} FROM event e LEFT JOIN event_seal s ON s.event = e.id
    ${where.length > 0 ? sql`WHERE ${join(where, ' AND ')}` : empty} ORDER BY e.id DESC LIMIT ${input.limit + 1}`)
  const items = rows.slice(0, input.limit)
  return {
    items: items.map(eventView),
    next_cursor: rows.length > input.limit ? String(items.at(-1)?.id) : null,
    chain: await chainState(db),
  }
}

function filters(input: AuditListInput): Sql[] {
  const where: Sql[] = []
  if (input.actor) where.push(sql`e.actor = ${input.actor}`)
  if (input.event)
    where.push(
      input.event.includes('.')
        ? sql`e.name = ${input.event}`
        : sql`e.name LIKE ${`${input.event.replace(/[%_\\]/g, '')}.%`}`,
    )
  if (input.resource_type) where.push(sql`e.resource_type = ${input.resource_type}`)
  if (input.resource_id) where.push(sql`e.resource_id = ${input.resource_id}`)
  if (input.outcome) where.push(sql`e.outcome = ${input.outcome}`)
  if (input.from) where.push(sql`e.ts >= ${new Date(input.from)}`)
  if (input.to) where.push(sql`e.ts < ${new Date(input.to)}`)
  if (input.cursor && /^\d{1,18}$/.test(input.cursor)) where.push(sql`e.id < ${input.cursor}::bigint`)
  return where
}

async function chainState(db: Db): Promise<AuditPage['chain']> {
  const { rows } = await db.query<{
    sealed: number
    waiting: number
    head: string
  }>(sql`SELECT h.seq AS sealed, encode(h.hash, 'hex') AS head,
    (SELECT count(*) FROM event e WHERE e.id > h.low AND NOT EXISTS (SELECT 1 FROM event_seal s WHERE s.event = e.id)) AS waiting FROM event_head h`)
  return rows[0] ?? { sealed: 0, waiting: 0, head: '' }
}

/** Everything that happened to one object, oldest first, at most 1 000 events. */
export async function historyOf(db: Db, type: string, id: string): Promise<AuditEventView[]> {
  const { rows } =
    await db.query<EventRow>(sql`SELECT ${EVENT_COLUMNS} FROM event e LEFT JOIN event_seal s ON s.event = e.id
    WHERE e.resource_type = ${type} AND e.resource_id = ${id} ORDER BY e.id LIMIT ${HISTORY_LIMIT}`)
  return rows.map(eventView)
}

/** One event, or null. */
export async function auditEvent(db: Db, eventId: string): Promise<AuditEventView | null> {
  const { rows } = await db.query<EventRow>(
    sql`SELECT ${EVENT_COLUMNS} FROM event e LEFT JOIN event_seal s ON s.event = e.id WHERE e.event_id = ${eventId}`,
  )
  return rows[0] ? eventView(rows[0]) : null
}
