import { describe, expect, it } from 'vitest'
import {
  ABSENT,
  applyDecision,
  type ChangeBase,
  changeFreshness,
  freshnessOf,
  isCommutative,
  targetKey,
} from './conflict.rules.ts'
import { contentDigestInput, reviewDigestInput } from './digest.rules.ts'

const end: ChangeBase['diff'] = { type: 'append', position: 'end' }
const replace: ChangeBase['diff'] = { type: 'replace' }

describe('conflicts', () => {
  it.each([
    [{ type: 'append', position: 'end' }, true],
    [{ type: 'append', position: 'after-frontmatter' }, true],
    [{ type: 'append', position: 12 }, false],
    [{ type: 'replace' }, false],
    [{ type: 'create' }, false],
    [{ type: 'delete' }, false],
  ] as const)('%j commutes: %s', (diff, expected) => expect(isCommutative(diff)).toBe(expected))

  it.each([
    [replace, 'h1', 'h1', 'clean', true],
    [replace, 'h1', 'h2', 'changed', false],
    [end, 'h1', 'h2', 'changed', true],
    [{ type: 'append', position: 4 } as const, 'h1', 'h2', 'changed', false],
    [end, 'h1', ABSENT, 'missing', false],
    [{ type: 'delete' } as const, 'h1', ABSENT, 'missing', false],
    [{ type: 'create' } as const, ABSENT, 'h2', 'exists', false],
    [{ type: 'create' } as const, ABSENT, ABSENT, 'clean', true],
  ])('%j on %s over %s is %s', (diff, baseHash, currentHash, state, mergeable) => {
    expect(changeFreshness({ diff, baseHash }, currentHash)).toEqual({ state, mergeable })
  })

  it('is as grave as its gravest change and mergeable only as a whole', () => {
    const clean = { diff: replace, baseHash: 'a', currentHash: 'a' }
    const grown = { diff: end, baseHash: 'a', currentHash: 'b' }
    const changed = { diff: replace, baseHash: 'a', currentHash: 'b' }
    const missing = { diff: end, baseHash: 'a', currentHash: ABSENT }
    expect(freshnessOf([])).toEqual({ state: 'clean', mergeable: true })
    expect(freshnessOf([clean, grown])).toEqual({ state: 'changed', mergeable: true })
    expect(freshnessOf([grown, changed])).toEqual({ state: 'changed', mergeable: false })
    expect(freshnessOf([missing, changed])).toEqual({ state: 'missing', mergeable: false })
  })

  it('applies what is clean or mergeable and names the fault of the rest', () => {
    expect(applyDecision({ state: 'clean', mergeable: true })).toEqual({ apply: true, rebased: false })
    expect(applyDecision({ state: 'changed', mergeable: true })).toEqual({ apply: true, rebased: true })
    expect(applyDecision({ state: 'changed', mergeable: false })).toEqual({ apply: false, fault: 'conflict' })
    expect(applyDecision({ state: 'missing', mergeable: false })).toEqual({
      apply: false,
      fault: 'target_missing',
    })
    expect(applyDecision({ state: 'exists', mergeable: false })).toEqual({
      apply: false,
      fault: 'target_exists',
    })
  })

  it('queues notes by path, memory and logic as a whole', () => {
    expect(targetKey('notes/a.md')).not.toBe(targetKey('notes/b.md'))
    expect(targetKey('memory/x/facts.md')).toBe(targetKey('memory/x'))
    expect(targetKey('memory/x')).not.toBe(targetKey('logic/x'))
  })
})

describe('what the digests are taken over', () => {
  it('binds an edit to its result and an append to its anchor', () => {
    const edit = { path: 'a.md', diff: replace, baseHash: 'b', resultHash: 'r' }
    const append = { path: 'c.md', diff: end, baseHash: 'b', resultHash: 'r' }
    const of = (...changes: Parameters<typeof reviewDigestInput>[1]) =>
      JSON.stringify(reviewDigestInput('d', changes))
    expect(of({ ...edit, resultHash: 'r2' })).not.toBe(of(edit))
    expect(of({ ...append, resultHash: 'r2' })).toBe(of(append))
    expect(of({ ...append, diff: { type: 'append', position: 'after-frontmatter' } })).not.toBe(of(append))
    expect(of({ ...append, baseHash: 'b2' })).not.toBe(of(append))
    expect(of({ ...edit, path: 'b.md' })).not.toBe(of(edit))
    expect(contentDigestInput({ action: 'propose-edit', target: 'notes/a.md', changes: [1] })).toEqual({
      action: 'propose-edit',
      target: 'notes/a.md',
      changes: [1],
    })
  })
})
