import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Merge, type MergeDecision, overlapsOf, resolveMerge } from './merge.rules.ts'

const overlap = (current: string, proposed: string) =>
  ({ kind: 'overlap', base: 'b\n', current, proposed }) as const
const merge: Merge = {
  clean: false,
  parts: [{ kind: 'merged', text: 'top\n' }, overlap('c\n', 'p\n'), overlap('d', 'q\n')],
}
const take = (...sides: ('current' | 'proposed' | 'both')[]): MergeDecision[] =>
  sides.map((side) => ({ take: side }))

describe('the decisions about a merge', () => {
  it.each([
    [take('current', 'current'), 'top\nc\nd'],
    [take('proposed', 'proposed'), 'top\np\nq\n'],
    [take('both', 'both'), 'top\nc\np\nd\nq\n'],
    [
      [
        { take: 'text', text: 'own' },
        { take: 'text', text: '' },
      ] as MergeDecision[],
      'top\nown\n',
    ],
  ])('%j lead to %j', (decisions, text) => {
    expect(resolveMerge(merge, decisions)).toEqual({ ok: true, text })
  })

  it('takes both in the way their lines end', () => {
    const one = (current: string, proposed: string): Merge => ({
      clean: false,
      parts: [overlap(current, proposed)],
    })
    expect(resolveMerge(one('a\r\nb', 'c\r\n'), take('both'))).toEqual({ ok: true, text: 'a\r\nb\r\nc\r\n' })
    expect(resolveMerge(one('a', ''), take('both'))).toEqual({ ok: true, text: 'a\n' })
    expect(resolveMerge(one('', 'c'), take('both'))).toEqual({ ok: true, text: 'c' })
  })

  it('of a clean merge are none', () => {
    const clean: Merge = { clean: true, text: 'x\n' }
    expect(resolveMerge(clean, [])).toEqual({ ok: true, text: 'x\n' })
    expect(resolveMerge(clean, take('both'))).toMatchObject({ problem: 'surplus', overlaps: 0, decided: 1 })
  })

  it('have no result while an overlap has none, whichever it is', () => {
    const part = fc.oneof(
      fc.record({ kind: fc.constant('merged' as const), text: fc.string() }),
      fc.record({
        kind: fc.constant('overlap' as const),
        base: fc.string(),
        current: fc.string(),
        proposed: fc.string(),
      }),
    )
    const decision = fc.option(
      fc.constantFrom<MergeDecision>({ take: 'both' }, { take: 'text', text: 'own' }),
    )
    fc.assert(
      fc.property(fc.array(part, { minLength: 1 }), fc.array(decision), (parts, decisions) => {
        const any: Merge = { clean: false, parts }
        const every = decisions.length === overlapsOf(any).length && decisions.every((one) => one !== null)
        expect(resolveMerge(any, decisions).ok).toBe(every)
      }),
    )
  })
})
