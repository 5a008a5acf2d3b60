import type { AlertView, DeliveryView } from '#contracts/alert.contract.ts'
import { thresholdOf } from '#domain/alert/alert.rules.ts'
import type { Limit } from '#domain/alert/condition.ts'
import { conditionOf } from '#domain/alert/conditions.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { AlertRow } from './alert-row.ts'

const limitOf = ([comparison, value]: Limit): AlertView['threshold'] => ({ comparison, value })
const iso = (date: Date | null): string | null => date?.toISOString() ?? null

/** What readers get of an alert: the row with unit and limits of its condition. */
export function alertView(row: AlertRow): AlertView {
  const { unit, closes } = conditionOf(row.condition)
  const { alert_id, status, rule, resource, severity, condition, value, samples, acknowledged_by, note } = row
  return {
    ...{ alert_id, status, rule, resource, severity, condition, unit, value, samples },
    threshold: limitOf(thresholdOf(condition, severity)),
    closes: limitOf(closes),
    read_at: row.read_at.toISOString(),
    opened_at: row.opened_at.toISOString(),
    escalated_at: iso(row.escalated_at),
    acknowledged_at: iso(row.acknowledged_at),
    acknowledged_by,
    note,
    closed_at: iso(row.closed_at),
  }
}

export const DELIVERY_COLUMNS = [
  'delivery_id',
  'alert_id',
  'message',
  'channel',
  'status',
  'attempts',
  'last_error',
  'created_at',
  'next_attempt_at',
  'ended_at',
] as const

export function deliveryView(row: Row<'alert_delivery', (typeof DELIVERY_COLUMNS)[number]>): DeliveryView {
  const { created_at, next_attempt_at, ended_at, ...plain } = row
  return {
    ...plain,
    created_at: created_at.toISOString(),
    next_attempt_at: ended_at ? null : next_attempt_at.toISOString(),
    ended_at: iso(ended_at),
  }
}
