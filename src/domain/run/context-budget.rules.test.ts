import { describe, expect, test } from 'vitest'
import { type ContextPart, cutToBudget, MAX_CONTEXT_TOKENS } from './context-budget.rules.ts'

const part = (kind: ContextPart['kind'], ref: string, tokens: number, score = 0): ContextPart => ({
  kind,
  ref,
  tokens,
  score,
})
const PARTS = [
  part('source', 's-small', 100),
  part('source', 's-large', 300),
  part('entity', 'e', 50),
  part('fragment', 'f-far', 100, 0.2),
  part('fragment', 'f-near', 100, 1),
]

describe('cutToBudget', () => {
  test.each<[string, number, string[]]>([
    ['nothing when it fits', 750, []],
    ['the farthest fragment first', 749, ['f-far']],
    ['then the nearer', 649, ['f-far', 'f-near']],
    ['then entity cards', 549, ['f-far', 'f-near', 'e']],
    ['then the largest source', 499, ['f-far', 'f-near', 'e', 's-large']],
    ['everything, but never the fixed part', 0, ['f-far', 'f-near', 'e', 's-large', 's-small']],
  ])('drops %s', (_, budget, expected) => {
    const { kept, dropped } = cutToBudget(PARTS, 100, budget)
    expect(dropped.map((d) => d.ref)).toEqual(expected)
    expect(kept.map((p) => p.ref)).toEqual(PARTS.map((p) => p.ref).filter((r) => !expected.includes(r)))
  })

  test('no budget lifts the limit of the contract', () => {
    expect(
      cutToBudget([part('source', 's', MAX_CONTEXT_TOKENS)], 1, MAX_CONTEXT_TOKENS * 2).dropped,
    ).toHaveLength(1)
  })
})
