import { z } from 'zod'
import { RULE_MODES } from '#domain/approval-rule/rule-subject.ts'
import { plainText, proposalIdSchema } from './proposal.contract.ts'

/** Approval rules on the wire ([approval-rules#api]). Times are ISO 8601 UTC. */
export const RULE_LIMITS = {
  rules: 50,
  cap: 10_000,
  /** Days that a dry run may look back, and by default does. */
  days: 366,
  defaultDays: 90,
  /** Proposals that one dry run evaluates, newest first. */
  evaluated: 50_000,
  /** Disagreements that a dry run lists. A rule with more cannot be turned on. */
  disagreements: 50,
} as const

export const ruleMode = z.enum(RULE_MODES)
export const ruleId = z.string().regex(/^rule_[0-9a-f]{12}$/)
/** Read by the domain, which says of each field what is wrong ([approval-rules#conditions]). */
const condition = z.record(z.string().max(64), z.unknown())
const instant = z.iso.datetime().nullable().default(null)
const dailyCap = z.number().int().min(1).max(RULE_LIMITS.cap).nullable().default(null)

/** What a dry run tests, and what its digest is of. */
export const ruleContent = z.object({ condition, daily_cap: dailyCap, expires_at: instant }).strict()
export type RuleContent = z.infer<typeof ruleContent>
const name = plainText(100).min(1)

export const createRuleInput = ruleContent.extend({ name }).strict()
export type CreateRule = z.infer<typeof createRuleInput>
export const ruleRef = z.object({ rule_id: ruleId }).strict()
/** `version` is that of the rule one has edited. */
export const editRuleInput = createRuleInput.extend({ rule_id: ruleId, version: z.number().int() }).strict()
export type EditRule = z.infer<typeof editRuleInput>
export const orderRulesInput = z.object({ rule_ids: z.array(ruleId).min(1).max(RULE_LIMITS.rules) }).strict()
export const setRuleModeInput = z.object({ rule_id: ruleId, mode: ruleMode.exclude(['on']) }).strict()
const dryRunToken = z.string().max(4096)
export const turnRuleOnInput = z.object({ rule_id: ruleId, dry_run_token: dryRunToken }).strict()

/** A rule in the list, in the order in which rules are evaluated. */
export const ruleView = z
  .object({
    rule_id: z.string(),
    version: z.number(),
    name: z.string(),
    mode: ruleMode,
    condition: z.record(z.string(), z.unknown()),
    daily_cap: z.number().nullable(),
    expires_at: z.iso.datetime().nullable(),
    /** Its end has passed; it is not evaluated. */
    ended: z.boolean(),
    /** Why it cannot be evaluated: it approves nothing, and no rule below it does. */
    broken: z.string().nullable(),
    matched_today: z.number(),
    approved_today: z.number(),
    last_matched_at: z.iso.datetime().nullable(),
    created_by: z.string(),
    updated_by: z.string(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .strict()
export type RuleView = z.infer<typeof ruleView>
export const ruleList = z.object({ items: z.array(ruleView) }).strict()

export const dryRunInput = z
  .object({ rule: ruleContent, from: z.iso.datetime().optional(), to: z.iso.datetime().optional() })
  .strict()
export type DryRunInput = z.infer<typeof dryRunInput>

/** A proposal that the rule would have approved and the owner did not want. */
export const disagreement = z
  .object({
    proposal_id: z.string(),
    summary: z.string(),
    /** `rejected`, approved and later `reverted`, `edited` before it was approved, or `sent_back` to its agent for changes. */
    kind: z.enum(['rejected', 'reverted', 'edited', 'sent_back']),
    decided_at: z.iso.datetime().nullable(),
    decision_note: z.string().nullable(),
    reason_code: z.string().nullable(),
  })
  .strict()
export type Disagreement = z.infer<typeof disagreement>

export const dryRunResult = z
  .object({
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    evaluated: z.number(),
    /** Would have been approved: `agreed` + `disagreed_total` + `undecided`. Each was clean when it came, and no cap held it. */
    matched: z.number(),
    agreed: z.number(),
    /** The newest first. */
    disagreed: z.array(disagreement),
    disagreed_total: z.number(),
    /** Expired, still waiting, rebased, or decided by a rule. */
    undecided: z.number(),
    /** Matched, and kept back by a floor. */
    kept_back: z.number(),
    /** The most matches of one day, for the choice of a cap. */
    busiest_day: z.number(),
    /** There were more proposals than one dry run evaluates. */
    truncated: z.boolean(),
    dry_run_token: z.string(),
  })
  .strict()
export type DryRunResult = z.infer<typeof dryRunResult>

export const openedInput = z
  .object({
    dry_run_token: dryRunToken,
    proposal_ids: z.array(proposalIdSchema).min(1).max(RULE_LIMITS.disagreements),
  })
  .strict()
/** The token that says so, in the place of the one that was sent. */
export const openedAnswer = z.object({ dry_run_token: z.string(), left: z.number() }).strict()
