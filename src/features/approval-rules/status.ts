import type { RuleView } from '#contracts/approval-rule.contract.ts'
import { STATUS_ICONS, type StatusStyle } from '#ui/status-badge.tsx'

export type RuleState = RuleView['mode'] | 'ended' | 'broken'

/** What a rule is to its reader: a broken one or one that has ended does nothing, whatever its mode. */
export const ruleStateOf = (rule: Pick<RuleView, 'mode' | 'ended' | 'broken'>): RuleState =>
  rule.broken !== null ? 'broken' : rule.ended && rule.mode !== 'off' ? 'ended' : rule.mode

/** How each state of a rule looks. */
export const RULE_STYLES: Record<RuleState, StatusStyle> = {
  on: { tone: 'done' },
  shadow: { tone: 'waiting' },
  off: { tone: 'held' },
  ended: { tone: 'held', icon: STATUS_ICONS.refused },
  broken: { tone: 'failed' },
}
