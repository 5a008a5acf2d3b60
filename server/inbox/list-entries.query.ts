import sql, { empty, join } from 'sql-template-tag'
import type { InboxEntryView, InboxFilter, InboxPage, InboxStats } from '#contracts/inbox.contract.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Services } from '#server/composition/services.ts'
import { cursorTime, decodeCursor, encodeCursor } from '#server/proposals/keyset.ts'
import { answerOf, type EntryRow } from './entry-row.ts'

/** Without the payload, which may be large. */
type ListedRow = EntryRow & { summary: string | null }
const COLUMNS = sql`inbox_id, status, source_type, source_identity, action, target, correlation_id, priority, ttl_hours, run_id, resolution_kind,
  resolution_id, reason_code, reason, received_at, expires_at, left(payload->>'summary', 200) AS summary`

const viewOf = (row: ListedRow): InboxEntryView => ({
  inbox_id: row.inbox_id,
  status: row.status,
  source: { type: row.source_type, identity: row.source_identity },
  intent: { action: row.action, target: row.target },
  summary: row.summary,
  correlation_id: row.correlation_id,
  priority: row.priority,
  ttl_hours: row.ttl_hours,
  run_id: row.run_id,
  resolution: answerOf(row, false).resolution,
  reason: row.reason_code ? { code: row.reason_code, message: row.reason ?? '' } : null,
  received_at: row.received_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
})

/** `GET /inbox/entries`, newest first, by keyset; expired ones only when asked for (contract page 01, section 1.3). */
export async function listEntries({ db }: Pick<Services, 'db'>, f: InboxFilter): Promise<InboxPage> {
  const found = [f.status ? sql`status = ${f.status}` : sql`status <> 'expired'`]
  if (f.action) found.push(sql`action = ${f.action}`)
  if (f.source) found.push(sql`source_identity = ${f.source}`)
  if (f.q) {
    const like = `%${f.q.replace(/[\\%_]/g, '\\$&')}%`
    found.push(sql`(target ILIKE ${like} OR payload->>'summary' ILIKE ${like} OR inbox_id = ${f.q})`)
  }
  if (f.cursor) {
    const [at, id] = decodeCursor(f.cursor, 'entries', 2)
    found.push(sql`(received_at, inbox_id) < (${cursorTime(at)}, ${id})`)
  }
  const where = found.length === 0 ? empty : sql`WHERE ${join(found, ' AND ')}`
  const { rows } = await db.query<ListedRow>(
    sql`SELECT ${COLUMNS} FROM inbox_entry ${where} ORDER BY received_at DESC, inbox_id DESC LIMIT ${f.limit + 1}`,
  )
  const page = rows.slice(0, f.limit)
  const last = page.at(-1)
  const more = rows.length > f.limit && last
  const next = more ? encodeCursor('entries', [last.received_at.toISOString(), last.inbox_id]) : null
  return { items: page.map(viewOf), next_cursor: next }
}

/** One entry by its id. */
export async function getEntry({ db }: Pick<Services, 'db'>, id: string): Promise<Result<InboxEntryView>> {
  const { rows } = await db.query<ListedRow>(sql`SELECT ${COLUMNS} FROM inbox_entry WHERE inbox_id = ${id}`)
  const [row] = rows
  return row ? ok(viewOf(row)) : refuse({ code: 'NOT_FOUND', message: 'There is no such entry.' })
}

/** `GET /inbox/stats`; today is the day in UTC. */
export async function inboxStats({ db }: Pick<Services, 'db'>): Promise<InboxStats> {
  const { rows } = await db.query<InboxStats>(sql`SELECT
      (SELECT count(*) FROM inbox_entry WHERE status = 'pending') AS pending,
      count(*) FILTER (WHERE status = 'processed') AS processed_today,
      count(*) FILTER (WHERE status = 'rejected') AS rejected_today,
      count(*) FILTER (WHERE status = 'expired') AS expired_today
    FROM inbox_entry WHERE received_at >= date_trunc('day', clock_timestamp() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'`)
  return rows[0] ?? { pending: 0, processed_today: 0, rejected_today: 0, expired_today: 0 }
}
