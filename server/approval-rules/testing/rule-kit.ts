import type { RuleContent, RuleView } from '#contracts/approval-rule.contract.ts'
import type { Result } from '#domain/kernel/result.ts'
import type { Env } from '#server/env.ts'
import { type Kit, OWNER } from '#server/proposals/testing/garden-kit.ts'
import { createRule } from '../change-rules.ts'
import { dryRun } from '../dry-run.ts'
import { openDisagreements } from '../dry-run-token.ts'
import { turnRuleOn } from '../turn-rule.ts'

export const given = <T>(outcome: Result<T>): T => {
  if (!outcome.ok) throw new Error(`${outcome.refusal.code}: ${outcome.refusal.message}`)
  return outcome.value
}

const KEY = 'k'.repeat(32)
/** The services of a kit with what rules need of the environment. */
export const ruleServices = (kit: Kit) => ({
  db: kit.db,
  env: { ...kit.services.env, BLOOM_SESSION_KEY: KEY } as Env,
})

export const contentOf = (
  condition: RuleContent['condition'],
  more: Partial<RuleContent> = {},
): RuleContent => ({
  condition,
  daily_cap: 100,
  expires_at: '2099-01-01T00:00:00.000Z',
  ...more,
})

let made = 0
/** A rule that is off. */
export const newRule = async (kit: Kit, content: RuleContent): Promise<RuleView> =>
  given(await createRule(kit, { name: `Rule ${++made}`, ...content }, OWNER))

/** Turned on the way an owner does: dry run, every disagreement opened, on. */
export async function turnedOn(kit: Kit, rule: RuleView): Promise<RuleView> {
  const services = ruleServices(kit)
  const { condition, daily_cap, expires_at } = rule
  const tested = given(await dryRun(services, { rule: { condition, daily_cap, expires_at } }, OWNER))
  let token = tested.dry_run_token
  const ids = tested.disagreed.map((one) => one.proposal_id)
  if (ids.length > 0) {
    const opened = await openDisagreements(KEY, { dry_run_token: token, proposal_ids: ids }, OWNER.identity)
    token = given(opened).dry_run_token
  }
  return given(await turnRuleOn(services, { rule_id: rule.rule_id, dry_run_token: token }, OWNER))
}

export const ruleOn = async (kit: Kit, content: RuleContent): Promise<RuleView> =>
  turnedOn(kit, await newRule(kit, content))
