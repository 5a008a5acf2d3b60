/**
 * The cut of an assembled context to the agent's budget ([contexts#budget]). Layer 1 and the definition are
 * never cut; the order of dropping is: the lowest-scored fragment, entity cards, the largest source.
 */
export const MAX_CONTEXT_TOKENS = 200_000
export const DEFAULT_BUDGET_TOKENS = 24_000
export const FRAGMENT_LIMIT = 10
export const FEEDBACK_LIMIT = { entries: 10, tokens: 1_000 } as const

export type ContextPart = {
  kind: 'fragment' | 'entity' | 'source'
  ref: string
  tokens: number
  /** Of fragments; the higher the nearer to the question. */
  score: number
}
export type Dropped = { kind: ContextPart['kind']; ref: string; tokens: number; reason: 'budget' }

/** Parts that stay (in their order) and what was dropped, so that `fixed` tokens and the rest fit into `budget`. */
export function cutToBudget<P extends ContextPart>(
  parts: readonly P[],
  fixed: number,
  budget: number,
): { kept: P[]; dropped: Dropped[] } {
  const limit = Math.min(budget, MAX_CONTEXT_TOKENS)
  const kept = [...parts]
  const dropped: Dropped[] = []
  let total = fixed + kept.reduce((sum, p) => sum + p.tokens, 0)
  while (total > limit && kept.length > 0) {
    const [part] = kept.splice(nextToDrop(kept), 1)
    if (!part) break
    total -= part.tokens
    dropped.push({ kind: part.kind, ref: part.ref, tokens: part.tokens, reason: 'budget' })
  }
  return { kept, dropped }
}

function nextToDrop(parts: readonly ContextPart[]): number {
  const best = (kind: ContextPart['kind'], worse: (a: ContextPart, b: ContextPart) => boolean) =>
    parts.reduce((at, part, i) => {
      if (part.kind !== kind) return at
      const current = parts[at]
      return current === undefined || worse(part, current) ? i : at
    }, -1)
  const fragment = best('fragment', (a, b) => a.score <= b.score)
  if (fragment >= 0) return fragment
  const entity = best('entity', () => true)
  return entity >= 0 ? entity : best('source', (a, b) => a.tokens > b.tokens)
}
