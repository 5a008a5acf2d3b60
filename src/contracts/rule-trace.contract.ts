import { z } from 'zod'
import { FLOORS } from '#domain/approval-rule/floors.rules.ts'
import { RULE_MODES, RULE_OUTCOMES } from '#domain/approval-rule/rule-subject.ts'

/** How each evaluated approval rule judged a proposal when it was created ([approval-rules#evaluation]). */
export const ruleTrace = z.array(
  z.object({
    rule_id: z.string(),
    version: z.number(),
    mode: z.enum(RULE_MODES),
    matched: z.boolean(),
    outcome: z.enum(RULE_OUTCOMES),
    floor: z.enum(FLOORS).nullable(),
  }),
)
export type RuleTrace = z.infer<typeof ruleTrace>
