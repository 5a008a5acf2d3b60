/**
 * The owner writes rules ([approval-rules#guards]). Each change is one guarded statement with its audit event; every change of a rule
 * raises its version, which proposals and commits name.
 */
import sql from 'sql-template-tag'
import {
  type CreateRule,
  type EditRule,
  RULE_LIMITS,
  type RuleView,
} from '#contracts/approval-rule.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { judgeContent } from './judge-content.ts'
import { allRules, contentOf, findRule, type RuleRow, ruleDigest, ruleView, ruleViews } from './rule-row.ts'

type Parts = { db: Db }
type RuleEvent = 'rule.created' | 'rule.edited' | 'rule.mode_changed' | 'rule.removed'

export const noSuchRule = (): Result<never> =>
  refuse({ code: 'NOT_FOUND', message: 'There is no such approval rule.' })
export const changedMeanwhile = (): Result<never> =>
  refuse({ code: 'CONCURRENT_MODIFICATION', message: 'The rule has just been changed. Reload it.' })

/** The audit event of a change: the whole rule as it is afterwards, so that every version can be read later;
 * of conditions longer than an event takes, their digest. */
export async function recordRule(db: Db, name: RuleEvent, row: RuleRow, actor: Caller): Promise<void> {
  const { version, mode, name: called, position } = row
  await recordEvent(db, {
    name,
    actor,
    resource: { type: 'approval_rule', id: row.rule_id },
    details: { version, mode, name: called, position, ...contentOf(row), digest: ruleDigest(contentOf(row)) },
  })
}

/** A rule that is off, behind all others. */
export async function createRule({ db }: Parts, input: CreateRule, actor: Caller): Promise<Result<RuleView>> {
  const judged = judgeContent(input, new Date())
  if (!judged.ok) return judged
  return db.transaction(async (tx) => {
    const ruleId = `rule_${crypto.randomUUID().replaceAll('-', '').slice(0, 12)}`
    const { rows } = await tx.query<RuleRow>(sql`INSERT INTO approval_rule AS r
        (rule_id, position, name, condition, daily_cap, expires_at, created_by, updated_by)
      SELECT ${ruleId}, coalesce(max(o.position), 0) + 1, ${input.name}, ${json(judged.value)}, ${input.daily_cap}::int,
        ${input.expires_at}::timestamptz, ${actor.identity}, ${actor.identity}
      FROM approval_rule o WHERE o.removed_at IS NULL HAVING count(*) < ${RULE_LIMITS.rules}
      RETURNING r.*, false AS ended`)
    const row = rows[0]
    if (!row) {
      const message = `There are ${RULE_LIMITS.rules} rules already. Remove one first.`
      return refuse({ code: 'LIMIT_EXCEEDED', message })
    }
    await recordRule(tx, 'rule.created', row, actor)
    return ok(await ruleView(tx, row))
  })
}

/** Another content or name. A rule that is on falls back to shadow when its content changes: that was never tested. */
export async function editRule({ db }: Parts, input: EditRule, actor: Caller): Promise<Result<RuleView>> {
  const judged = judgeContent(input, new Date())
  if (!judged.ok) return judged
  const digest = ruleDigest({ ...input, condition: judged.value })
  return db.transaction(async (tx) => {
    const { rows } =
      await tx.query<RuleRow>(sql`UPDATE approval_rule r SET version = r.version + 1, name = ${input.name},
        condition = ${json(judged.value)}, daily_cap = ${input.daily_cap}::int, expires_at = ${input.expires_at}::timestamptz,
        mode = CASE WHEN r.mode = 'on' AND r.tested_digest IS DISTINCT FROM ${digest} THEN 'shadow' ELSE r.mode END,
        updated_by = ${actor.identity}, updated_at = clock_timestamp()
      WHERE r.rule_id = ${input.rule_id} AND r.version = ${input.version} AND r.removed_at IS NULL
      RETURNING r.*, coalesce(r.expires_at <= clock_timestamp(), false) AS ended`)
    const row = rows[0]
    if (!row) return (await findRule(tx, input.rule_id)) ? changedMeanwhile() : noSuchRule()
    await recordRule(tx, 'rule.edited', row, actor)
    return ok(await ruleView(tx, row))
  })
}

/** Takes a rule out of use for good; what it approved still names it. */
export async function removeRule(
  { db }: Parts,
  { rule_id }: { rule_id: string },
  actor: Caller,
): Promise<Result<{ rule_id: string }>> {
  return db.transaction(async (tx) => {
    const { rows } =
      await tx.query<RuleRow>(sql`UPDATE approval_rule r SET version = r.version + 1, mode = 'off',
        removed_at = clock_timestamp(), updated_by = ${actor.identity}, updated_at = clock_timestamp()
      WHERE r.rule_id = ${rule_id} AND r.removed_at IS NULL RETURNING r.*, false AS ended`)
    if (!rows[0]) return noSuchRule()
    await recordRule(tx, 'rule.removed', rows[0], actor)
    return ok({ rule_id })
  })
}

/** The order in which rules are evaluated. It names every rule once, so that an order made from an older list is refused. */
export async function orderRules(
  { db }: Parts,
  { rule_ids: ids }: { rule_ids: string[] },
  actor: Caller,
): Promise<Result<{ items: RuleView[] }>> {
  return db.transaction(async (tx) => {
    const { rowCount } = await tx.query(sql`WITH present AS (
        SELECT r.rule_id FROM approval_rule r WHERE r.removed_at IS NULL ORDER BY r.rule_id FOR UPDATE)
      UPDATE approval_rule r SET position = o.n FROM unnest(${ids}::text[]) WITH ORDINALITY AS o(rule_id, n)
      WHERE r.rule_id = o.rule_id AND (SELECT array_agg(p.rule_id ORDER BY p.rule_id) FROM present p) = ${[...ids].sort()}::text[]`)
    if (rowCount === 0) return changedMeanwhile()
    await recordEvent(tx, {
      name: 'rule.reordered',
      actor,
      resource: { type: 'approval_rule', id: '-' },
      details: { rule_ids: ids },
    })
    return ok({ items: await ruleViews(tx, await allRules(tx)) })
  })
}
