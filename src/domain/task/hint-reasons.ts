/**
 * Why a context hint was not used as it stands, in the words of the wire [runtime#context]: the reports of nodes and of the runtime hold these, and the
 * console knows them by their keys. Other nodes may say something else.
 */
export const HINT_REASONS = {
  unresolved: 'not resolved by the runtime',
  noProject: 'the project is not registered on this node',
  absolute: 'an absolute path',
  outside: 'leads out of the project',
  private: 'private',
  tooLarge: 'larger than 1 MiB',
  noFile: 'not a file',
  noText: 'not a text',
  missing: 'no such file',
  overBudget: 'over the budget',
  gardenAway: 'the garden does not answer',
  noMemory: 'no memory of agents is configured here',
  unknown: 'names nothing that is known here',
  notAgent: 'is no agent',
  agentMissing: 'there is no such agent',
} as const
export type HintReason = keyof typeof HINT_REASONS

/** These two go on with what they are about: the code of the system's error, the revision that was read. */
export const unreadable = (code: string | undefined): string => `cannot be read (${code})`
export const atRevision = (revision: string): string => `revision ${revision}`

/** The key of a reason, with what it is about. */
export type KnownReason = { key: HintReason } | { key: 'unreadable' | 'revision'; value: string }

/** Null for words that are none of these. */
export function reasonOf(text: string): KnownReason | null {
  for (const [key, words] of Object.entries(HINT_REASONS))
    if (words === text) return { key: key as HintReason }
  const code = /^cannot be read \((\w+)\)$/.exec(text)?.[1]
  if (code) return { key: 'unreadable', value: code }
  const revision = /^revision (\w+)$/.exec(text)?.[1]
  return revision ? { key: 'revision', value: revision } : null
}
