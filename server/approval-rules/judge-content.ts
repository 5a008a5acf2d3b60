import { RULE_LIMITS, type RuleContent } from '#contracts/approval-rule.contract.ts'
import { type Condition, mayMatchAgents, parseCondition } from '#domain/approval-rule/condition.rules.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { type Result, refuse } from '#domain/kernel/result.ts'

const faulty = (field: string, message: string): Refusal => ({
  code: 'VALIDATION_FAILED',
  message: `${field} ${message}.`,
  details: [{ field, message }],
})

/** The condition of a rule that may be kept: readable, and with a cap and an end where agents could match it. */
export function judgeContent(
  { condition, daily_cap, expires_at }: RuleContent,
  now: Date,
): Result<Condition> {
  const read = parseCondition(condition)
  if (!read.ok) return read
  if (expires_at !== null && new Date(expires_at) <= now)
    return refuse(faulty('expires_at', 'must be in the future'))
  if (!mayMatchAgents(read.value)) return read
  if (daily_cap === null)
    return refuse(faulty('daily_cap', `is required where agents may match: 1 to ${RULE_LIMITS.cap}`))
  if (expires_at === null) return refuse(faulty('expires_at', 'is required where agents may match'))
  return read
}
