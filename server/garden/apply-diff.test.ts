import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyDiff, diffStats, unifiedDiff } from './apply-diff.ts'

const note = fc
  .array(fc.string({ unit: fc.constantFrom('a', 'b', 'є', ' ', '-', '+', '@', '\\') }), { maxLength: 30 })
  .map((lines) => lines.map((l) => `${l}\n`).join(''))

describe('unified diffs', () => {
  test('lead from any text to any other', () => {
    fc.assert(
      fc.property(note, note, (before, after) => {
        const unified = unifiedDiff('a.md', before, after)
        if (before === after) expect(unified).toBe('')
        else expect(applyDiff(before, { type: 'replace', unified })).toEqual({ ok: true, value: after })
      }),
      { numRuns: 300 },
    )
  })

  test('between long texts that share nothing are one hunk, and lead there too', () => {
    const text = (word: string) => Array.from({ length: 5_000 }, (_, i) => `${word} ${i}\n`).join('')
    const unified = unifiedDiff('a.md', text('old'), text('new'))
    expect(unified.match(/^@@/gm)).toHaveLength(1)
    expect(applyDiff(text('old'), { type: 'replace', unified })).toEqual({ ok: true, value: text('new') })
    expect(diffStats(unified)).toEqual({ additions: 5_000, deletions: 5_000 })
  })

  test('apply with no fuzz', () => {
    const unified = unifiedDiff('a.md', 'one\ntwo\nthree\n', 'one\n2\nthree\n')
    expect(applyDiff('one\ntwo!\nthree\n', { type: 'replace', unified })).toMatchObject({
      refusal: { code: 'DIFF_INVALID' },
    })
    expect(applyDiff('zero\none\ntwo\nthree\n', { type: 'replace', unified })).toEqual({
      ok: true,
      value: 'zero\none\n2\nthree\n',
    })
  })

  test.each(['', 'nonsense', '--- a\n+++ b\n', '@@ -1 +1 @@\n', '--- a\n+++ b\n@@ -1,9 +1,9 @@\n-x\n+y\n'])(
    'that are none are refused: %j',
    (unified) => {
      expect(applyDiff('x\n', { type: 'replace', unified })).toMatchObject({
        refusal: { code: 'DIFF_INVALID' },
      })
    },
  )
})

describe('the other changes', () => {
  test.each([
    ['end', '---\na: 1\n---\nb\n', '---\na: 1\n---\nb\nX\n'],
    ['after-frontmatter', '---\na: 1\n---\nb\n', '---\na: 1\n---\nX\nb\n'],
    ['after-frontmatter', 'b\n', 'X\nb\n'],
    [0, 'b\n', 'X\nb\n'],
    [1, 'a\nb\n', 'a\nX\nb\n'],
    ['end', '', 'X\n'],
  ] as const)('append at %s', (position, before, after) => {
    expect(applyDiff(before, { type: 'append', position, text: 'X' })).toEqual({ ok: true, value: after })
  })

  test('a line that is not there', () => {
    expect(applyDiff('a\n', { type: 'append', position: 2, text: 'X' })).toMatchObject({ ok: false })
  })

  test('create needs an absent file, everything else a present one', () => {
    expect(applyDiff('a\n', { type: 'create', text: 'b' })).toMatchObject({
      refusal: { code: 'TARGET_EXISTS' },
    })
    expect(applyDiff(null, { type: 'create', text: 'b' })).toEqual({ ok: true, value: 'b\n' })
    expect(applyDiff('a\n', { type: 'delete' })).toEqual({ ok: true, value: null })
    for (const diff of [
      { type: 'delete' },
      { type: 'replace', text: 'x' },
      { type: 'append', position: 'end', text: 'x' },
    ] as const)
      expect(applyDiff(null, diff)).toMatchObject({ refusal: { code: 'TARGET_NOT_FOUND' } })
  })
})
