/** Rules as they stand in the ledger, and how they are read from it. SQL: writes answer with the rule inside their own transaction. */
import sql, { empty, type Sql } from 'sql-template-tag'
import type { RuleContent, RuleView } from '#contracts/approval-rule.contract.ts'
import { parseCondition } from '#domain/approval-rule/condition.rules.ts'
import type { ReadRule } from '#domain/approval-rule/evaluate.rules.ts'
import type { RuleMode } from '#domain/approval-rule/rule-subject.ts'
import type { Db } from '#server/ledger/database.ts'
import { prepared } from '#server/ledger/prepared.ts'
import type { Row } from '#server/ledger/rows.ts'
import { digestOf } from '#server/proposals/digests.ts'

declare module '#server/ledger/rows.ts' {
  interface Shapes {
    approval_rule: { mode: RuleMode }
  }
}

/** The columns and whether the end has passed by the database clock. */
export type RuleRow = Row<'approval_rule'> & { ended: boolean }

const ENDED = sql`coalesce(r.expires_at <= clock_timestamp(), false) AS ended`

/** SHA-256 of what decides about a proposal: the name and the order are no part of it. */
export const ruleDigest = ({ condition, daily_cap, expires_at }: RuleContent): string =>
  digestOf({ condition, daily_cap, expires_at: expires_at && new Date(expires_at).toISOString() })

export const contentOf = (row: RuleRow): RuleContent => ({
  condition: row.condition as RuleContent['condition'],
  daily_cap: row.daily_cap,
  expires_at: row.expires_at?.toISOString() ?? null,
})

/** Why a rule cannot be evaluated, or null: it cannot be read, or it is on and was not tested as it stands. */
export function brokenBecause(row: RuleRow): string | null {
  const read = parseCondition(row.condition)
  if (!read.ok) return read.refusal.message
  const untested = row.mode === 'on' && row.tested_digest !== ruleDigest(contentOf(row))
  return untested ? 'The rule was changed without a dry run.' : null
}

/** The rule as the evaluation takes it. */
export function readRule(row: RuleRow): ReadRule {
  const read = parseCondition(row.condition)
  const { rule_id, version, mode, ended } = row
  return {
    rule_id,
    version,
    mode,
    ended,
    condition: read.ok && brokenBecause(row) === null ? read.value : null,
  }
}

/** Rules in their order, without those that were removed; `only` narrows them. */
async function rules(db: Db, only: Sql): Promise<RuleRow[]> {
  const { rows } = await db.query<RuleRow>(
    prepared(sql`SELECT r.*, ${ENDED} FROM approval_rule r
    WHERE r.removed_at IS NULL ${only} ORDER BY r.position, r.created_at, r.rule_id`),
  )
  return rows
}

/** Those that are evaluated. */
export const rulesInForce = (db: Db): Promise<RuleRow[]> => rules(db, sql`AND r.mode <> 'off'`)
export const allRules = (db: Db): Promise<RuleRow[]> => rules(db, empty)

/** One rule; null when there is none, or none any more. */
export async function findRule(db: Db, ruleId: string): Promise<RuleRow | null> {
  const [row] = await rules(db, sql`AND r.rule_id = ${ruleId}`)
  return row ?? null
}

type DayRow = Row<'approval_rule_day', 'rule_id' | 'matched' | 'approved' | 'last_matched_at'> & {
  today: boolean
}

/** These rules as they are shown, with what they did today (UTC) and when they last matched. */
export async function ruleViews(db: Db, rows: readonly RuleRow[]): Promise<RuleView[]> {
  const { rows: days } =
    await db.query<DayRow>(sql`SELECT DISTINCT ON (d.rule_id) d.rule_id, d.matched, d.approved, d.last_matched_at,
      d.day = (clock_timestamp() AT TIME ZONE 'UTC')::date AS today
    FROM approval_rule_day d WHERE d.rule_id = ANY(${rows.map((row) => row.rule_id)}::text[]) AND d.matched > 0
    ORDER BY d.rule_id, d.day DESC`)
  const latest = new Map(days.map((day) => [day.rule_id, day]))
  return rows.map((row) => {
    const day = latest.get(row.rule_id)
    return {
      rule_id: row.rule_id,
      version: row.version,
      name: row.name,
      mode: row.mode,
      ...contentOf(row),
      ended: row.ended,
      broken: brokenBecause(row),
      matched_today: day?.today ? day.matched : 0,
      approved_today: day?.today ? day.approved : 0,
      last_matched_at: day?.last_matched_at.toISOString() ?? null,
      created_by: row.created_by,
      updated_by: row.updated_by,
      created_at: row.created_at.toISOString(),
      updated_at: row.updated_at.toISOString(),
    }
  })
}

/** One of them. */
export async function ruleView(db: Db, row: RuleRow): Promise<RuleView> {
  const [view] = await ruleViews(db, [row])
  if (!view) throw new Error('a row gives a view')
  return view
}
