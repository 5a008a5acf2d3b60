/** What a rule may know of a proposal: who asks, what for, where, and how much; never its prose, which whoever proposes chooses freely. */
export type RuleSubject = {
  action: string
  agent: string | null
  priority: string
  source: { type: string; identity: string }
  /** It comes from a run that has read text of untrusted sources. */
  tainted: boolean
  target: { type: string; path: string }
  changes: readonly {
    path: string
    type: string
    additions: number
    deletions: number
    /** Of agent memory: takes more than a quarter of its file's limit. Unknown counts as yes. */
    unusuallyLarge?: boolean
  }[]
  /** It takes the place of an earlier proposal: a resubmission, a revert, an edit, what an edit left over. */
  successor: boolean
}

export const RULE_MODES = ['off', 'shadow', 'on'] as const
export type RuleMode = (typeof RULE_MODES)[number]

/** How an evaluated rule came out. `would_approve` is what a rule in shadow records. */
export const RULE_OUTCOMES = [
  'no_match',
  'broken',
  'floor',
  'not_clean',
  'capped',
  'withdrawn',
  'would_approve',
  'approved',
] as const
export type RuleOutcome = (typeof RULE_OUTCOMES)[number]

/** The actions that become proposals and that a rule may approve. */
export const RULE_ACTIONS = [
  'propose-edit',
  'propose-note',
  'propose-comment',
  'propose-tag',
  'propose-summary',
  'memory-update',
] as const
