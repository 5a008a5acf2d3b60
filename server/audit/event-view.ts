import sql, { type Sql } from 'sql-template-tag'
import type { AuditEventView } from '#contracts/audit.contract.ts'
import { columns, type Row } from '#server/ledger/rows.ts'

const SHOWN = [
  'id',
  'event_id',
  'ts',
  'name',
  'actor',
  'actor_role',
  'via',
  'resource_type',
  'resource_id',
  'transition',
  'from_status',
  'to_status',
  'reason',
  'outcome',
  'error_code',
  'node',
  'correlation_id',
  'refs',
  'details',
] as const

/** The columns of an event `e` with its seal `s`, as `eventView` expects them. */
export const EVENT_COLUMNS: Sql = sql`s.seq, ${columns('event', 'e', SHOWN)}, encode(s.hash, 'hex') AS hash`

export type EventRow = Row<'event', (typeof SHOWN)[number]> & { seq: number | null; hash: string | null }

export const eventView = (row: EventRow): AuditEventView => ({
  seq: row.seq,
  event_id: row.event_id,
  ts: row.ts.toISOString(),
  event: row.name,
  actor: row.actor,
  actor_role: row.actor_role,
  via: row.via,
  resource: { type: row.resource_type, id: row.resource_id },
  transition: row.transition,
  from: row.from_status,
  to: row.to_status,
  reason: row.reason,
  outcome: row.outcome,
  error_code: row.error_code,
  node: row.node,
  correlation_id: row.correlation_id,
  refs: row.refs,
  details: row.details,
  hash: row.hash,
})
