import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hunksOf, unifiedDiff } from '#server/garden/apply-diff.ts'
import { areHunksOf, isEditable, leftOut, numbersOf, textWithHunks } from './hunks.rules.ts'
import { commandsFor } from './proposal-commands.rules.ts'

const text = fc
  .array(fc.constantFrom('a', 'b', 'c', '', '--- a', '+++ b', '@@ -1 +1 @@'), { maxLength: 60 })
  .map((lines) => lines.map((line) => `${line}\n`).join(''))

/** Two texts of some length that differ in a few places. */
const edit = fc.tuple(
  fc.array(fc.nat(9), { minLength: 30, maxLength: 60 }),
  fc.array(fc.tuple(fc.nat(59), fc.constantFrom('insert', 'delete', 'change')), { maxLength: 6 }),
)
function edited([numbers, edits]: [number[], [number, string][]]): [string, string] {
  const lines = numbers.map((n, i) => `line ${i} ${n}`)
  const next = lines.flatMap((line, i) => {
    const how = edits.find(([at]) => at === i)?.[1]
    return how === 'delete' ? [] : how === 'insert' ? [line, 'new'] : how ? [`${line}!`] : [line]
  })
  return [lines, next].map((all) => all.map((line) => `${line}\n`).join('')) as [string, string]
}

describe('hunks of a diff', () => {
  it('all of them are the text as proposed, none the text as it was', () => {
    fc.assert(
      fc.property(fc.oneof(fc.tuple(text, text), edit.map(edited)), ([base, proposed]) => {
        const hunks = hunksOf(unifiedDiff('a.md', base, proposed))
        expect(textWithHunks(base, hunks, numbersOf(hunks))).toBe(proposed)
        expect(textWithHunks(base, hunks, [])).toBe(base)
      }),
    )
  })

  it('some of them are what the diff of the result says again', () => {
    fc.assert(
      fc.property(edit.map(edited), fc.nat(), ([base, proposed], mask) => {
        const hunks = hunksOf(unifiedDiff('a.md', base, proposed))
        const accepted = numbersOf(hunks).filter((n) => (mask >> n) & 1)
        const result = textWithHunks(base, hunks, accepted)
        expect(hunksOf(unifiedDiff('a.md', base, result))).toHaveLength(accepted.length)
        expect(hunksOf(unifiedDiff('a.md', result, proposed))).toHaveLength(leftOut(hunks, accepted).length)
      }),
    )
  })

  it.each([
    [[], true],
    [[1, 3], true],
    [[1, 1], false],
    [[0], false],
    [[4], false],
    [[1.5], false],
  ])('%j are numbers of three hunks: %s', (numbers, expected) =>
    expect(areHunksOf(3, numbers)).toBe(expected),
  )
})

describe('what is decided as a whole', () => {
  const subject = {
    status: 'PENDING',
    archived: false,
    snoozed: false,
    errorCode: null,
    inConflict: false,
    awaitsChanges: false,
    hasAgent: true,
  } as const
  it.each([
    ['a note', 'note', [{}], true],
    ['memory', 'memory', [{}], false],
    ['logic', 'logic', [{}], false],
    ['tags of a note', 'tags', [{ tags: {} }], true],
    ['tags with a stamp', 'tags', [{ tags: { stamp: { by: 'owner' } } }], false],
  ])('%s: whether edit is among the commands', (_, target, changes, is) => {
    const commands = commandsFor('owner', { ...subject, isEditable: isEditable(target, changes) })
    expect(commands.includes('edit')).toBe(is)
    expect(commands).toContain('approve')
  })
  it('waits for its agent: it can be rejected or extended, and nothing else', () => {
    const awaited = { ...subject, isEditable: true, awaitsChanges: true }
    expect(commandsFor('owner', awaited)).toEqual(['reject', 'extend'])
    expect(commandsFor('owner', { ...awaited, inConflict: true })).toEqual(['reject', 'extend'])
  })
  it.each([true, false])('made by an agent: %s; whether changes can be requested', (hasAgent) => {
    const commands = commandsFor('owner', { ...subject, isEditable: true, hasAgent })
    expect(commands.includes('requestChanges')).toBe(hasAgent)
  })
})
