import sql from 'sql-template-tag'
import type { RuleView } from '#contracts/approval-rule.contract.ts'
import type { RuleMode } from '#domain/approval-rule/rule-subject.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Services } from '#server/services.ts'
import { changedMeanwhile, noSuchRule, recordRule } from './change-rules.ts'
import { testedDigest } from './dry-run-token.ts'
import { judgeContent } from './judge-content.ts'
import { contentOf, findRule, type RuleRow, ruleDigest, ruleView } from './rule-row.ts'

type Parts = Pick<Services, 'db' | 'env'>

/** To off or to shadow: asks for nothing, since neither approves anything. The mode that a rule has already is answered as it is. */
export async function setRuleMode(
  { db }: Pick<Parts, 'db'>,
  { rule_id, mode }: { rule_id: string; mode: Exclude<RuleMode, 'on'> },
  actor: Caller,
): Promise<Result<RuleView>> {
  return db.transaction(async (tx) => {
    const row = await moved(tx, { rule_id, mode, version: null, digest: null }, actor)
    if (row) return ok(await ruleView(tx, row))
    const present = await findRule(tx, rule_id)
    return present ? ok(await ruleView(tx, present)) : noSuchRule()
  })
}

/** To on: the content must be sound now, and be what a dry run of the last day has tested, with its disagreements opened. */
export async function turnRuleOn(
  { db, env }: Parts,
  { rule_id, dry_run_token: token }: { rule_id: string; dry_run_token: string },
  actor: Caller,
): Promise<Result<RuleView>> {
  const found = await findRule(db, rule_id)
  if (!found) return noSuchRule()
  const judged = judgeContent(contentOf(found), new Date())
  if (!judged.ok) return judged
  const digest = ruleDigest(contentOf(found))
  const tested = await testedDigest(env.BLOOM_SESSION_KEY, token, { digest, identity: actor.identity })
  if (!tested.ok) return tested
  return db.transaction(async (tx) => {
    const row = await moved(tx, { rule_id, mode: 'on', version: found.version, digest }, actor)
    if (row) return ok(await ruleView(tx, row))
    const present = await findRule(tx, rule_id)
    const isOn = present?.mode === 'on' && present.version === found.version
    return isOn ? ok(await ruleView(tx, present)) : changedMeanwhile()
  })
}

type ModeChange = { rule_id: string; mode: RuleMode; version: number | null; digest: string | null }

/** The one statement that changes a mode; null when the rule has it, is gone, or is no longer the version that was looked at. */
async function moved(
  tx: Db,
  { rule_id, mode, version, digest }: ModeChange,
  actor: Caller,
): Promise<RuleRow | null> {
  const { rows } =
    await tx.query<RuleRow>(sql`UPDATE approval_rule r SET version = r.version + 1, mode = ${mode},
      tested_digest = coalesce(${digest}::text, r.tested_digest), updated_by = ${actor.identity}, updated_at = clock_timestamp()
    WHERE r.rule_id = ${rule_id} AND r.removed_at IS NULL AND r.mode <> ${mode} AND r.version = coalesce(${version}::int, r.version)
    RETURNING r.*, coalesce(r.expires_at <= clock_timestamp(), false) AS ended`)
  const row = rows[0]
  if (row) await recordRule(tx, 'rule.mode_changed', row, actor)
  return row ?? null
}
