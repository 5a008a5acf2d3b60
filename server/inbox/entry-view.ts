import sql, { type Sql } from 'sql-template-tag'
import type { InboxEntryView } from '#contracts/inbox.contract.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import { resolutionOf } from './entry-row.ts'

const NAMES = [
  'inbox_id',
  'status',
  'source_type',
  'source_identity',
  'action',
  'target',
  'correlation_id',
  'priority',
  'ttl_hours',
  'run_id',
  'resolution_kind',
  'resolution_id',
  'reason_code',
  'reason',
  'received_at',
  'expires_at',
] as const

/** An entry without its payload, which may be large, but with the summary inside it. */
export type EntryViewRow = Row<'inbox_entry', (typeof NAMES)[number]> & { summary: string | null }
export const ENTRY_VIEW_COLUMNS: Sql = sql`${columns('inbox_entry', 'e', NAMES)}, left(e.payload->>'summary', 200) AS summary`

export const entryView = (row: EntryViewRow): InboxEntryView => ({
  inbox_id: row.inbox_id,
  status: row.status,
  source: { type: row.source_type, identity: row.source_identity },
  intent: { action: row.action, target: row.target },
  summary: row.summary,
  correlation_id: row.correlation_id,
  priority: row.priority,
  ttl_hours: row.ttl_hours,
  run_id: row.run_id,
  resolution: resolutionOf(row),
  reason: row.reason_code ? { code: row.reason_code, message: row.reason ?? '' } : null,
  received_at: row.received_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
})
