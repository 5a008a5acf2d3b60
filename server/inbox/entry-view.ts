import type { InboxEntryDetail, InboxEntryView } from '#contracts/inbox.contract.ts'
import { type Row, selected } from '#server/ledger/rows.ts'
import { resolutionOf } from './entry-row.ts'

/** What `entryView` reads of an entry: not its payload, which may be large. */
export const VIEWED = [
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

export const DETAIL_SELECT = selected([...VIEWED, 'payload'])

export type ViewRow = Row<'inbox_entry', (typeof VIEWED)[number]>

export function entryView(row: ViewRow): InboxEntryView {
  const { correlation_id, priority, ttl_hours } = row
  const metadata = { correlation_id, priority, ttl_hours }
  const received_at = row.received_at.toISOString()
  return {
    id: row.inbox_id,
    inbox_id: row.inbox_id,
    status: row.status,
    // Who is not authenticated leaves no entry.
    source: {
      type: row.source_type,
      identity: row.source_identity,
      authenticated: true,
      timestamp: received_at,
    },
    intent: { action: row.action, target: row.target },
    metadata,
    summary: row.summary,
    ...metadata,
    run_id: row.run_id,
    resolution: resolutionOf(row),
    reason: row.reason_code ? { code: row.reason_code, message: row.reason ?? '' } : null,
    received_at,
    expires_at: row.expires_at.toISOString(),
  }
}

export function entryDetail(row: ViewRow & Row<'inbox_entry', 'payload'>): InboxEntryDetail {
  const view = entryView(row)
  return { ...view, intent: { ...view.intent, payload: row.payload } }
}
