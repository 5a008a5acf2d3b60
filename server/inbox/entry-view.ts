import type { InboxEntryView } from '#contracts/inbox.contract.ts'
import { type Row, selected } from '#server/ledger/rows.ts'
import { resolutionOf } from './entry-row.ts'

const NAMES = [
  'inbox_id',
  'status',
  'source_type',
  'source_identity',
  'action',
  'target',
  'summary',
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

/** What `entryView` reads of an entry: not its payload, which may be large. */
export const ENTRY_SELECT = selected(NAMES)

export const entryView = (row: Row<'inbox_entry', (typeof NAMES)[number]>): InboxEntryView => ({
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
