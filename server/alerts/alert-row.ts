import sql, { type Sql } from 'sql-template-tag'
import { alertMachine, STANDING_ALERTS } from '#domain/alert/alert.machine.ts'
import type { Standing } from '#domain/alert/alert.rules.ts'
import type { Severity } from '#domain/alert/condition.ts'
import type { ConditionName, RuleName } from '#domain/alert/conditions.ts'
import type { Db } from '#server/ledger/database.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import { states } from '#server/ledger/states.ts'

declare module '#server/ledger/rows.ts' {
  interface Shapes {
    alert: { rule: RuleName; condition: ConditionName; severity: Severity }
  }
}

export type AlertRow = Row<'alert'>

/** `status IN ('open', 'acknowledged')`, as the partial index says it. */
export const IS_STANDING: Sql = states(alertMachine, ...STANDING_ALERTS)

const STANDING = ['alert_id', 'rule', 'resource', 'severity', 'condition'] as const

/** The alerts whose conditions still held at the last look. Their number is bounded by that of the resources that the facts name. */
export async function standingAlerts(db: Db): Promise<Standing[]> {
  const { rows } = await db.query<Row<'alert', (typeof STANDING)[number]>>(
    sql`SELECT ${columns('alert', 'a', STANDING)} FROM alert a WHERE a.status IN ${IS_STANDING} ORDER BY a.opened_at, a.alert_id`,
  )
  return rows
}
