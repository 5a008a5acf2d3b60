import sql, { type Sql } from 'sql-template-tag'
import type { AuditEventView } from '#contracts/audit.contract.ts'
import type { Row } from '#server/ledger/database.ts'

/** The columns of an event `e` with its seal `s`, as `eventView` expects them. */
export const EVENT_COLUMNS: Sql = sql`s.seq, e.id, e.event_id, e.ts, e.name, e.actor, e.actor_role, e.via, e.resource_type, e.resource_id, e.transition,
  e.from_status, e.to_status, e.reason, e.outcome, e.error_code, e.node, e.correlation_id, e.refs, e.details, encode(s.hash, 'hex') AS hash`

export type EventRow = Row & { id: number; ts: Date }

export function eventView(row: EventRow): AuditEventView {
  const text = (key: string) => (row[key] ?? null) as string | null
  return {
    seq: (row.seq ?? null) as number | null,
    event_id: row.event_id as string,
    ts: row.ts.toISOString(),
    event: row.name as string,
    actor: row.actor as string,
    actor_role: row.actor_role as string,
    via: row.via as string,
    resource: { type: row.resource_type as string, id: row.resource_id as string },
    transition: text('transition'),
    from: text('from_status'),
    to: text('to_status'),
    reason: text('reason'),
    outcome: row.outcome as AuditEventView['outcome'],
    error_code: text('error_code'),
    node: row.node as string,
    correlation_id: text('correlation_id'),
    refs: row.refs as Record<string, unknown>,
    details: row.details as Record<string, unknown>,
    hash: text('hash'),
  }
}
