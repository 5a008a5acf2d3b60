/** What a person states with a decision; the agent that proposed the change learns from it. */
export const REASON_CODES = [
  'wrong_fact',
  'out_of_scope',
  'duplicate',
  'style',
  'stale',
  'ungrounded',
  'too_large',
  'unsafe',
  'other',
] as const
export type ReasonCode = (typeof REASON_CODES)[number]

/** Characters of a stated reason after trimming: the note of a rejection, the reason of an extension or an override. */
export const REASON_LENGTH = { min: 10, max: 2_000 } as const
