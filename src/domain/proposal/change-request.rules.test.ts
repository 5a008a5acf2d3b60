import { describe, expect, it } from 'vitest'
import { quotedLine, wasChanged } from './change-request.rules.ts'

const texts = { base: 'one\ntwo\n', proposed: 'one\nthree\nfour\n' }

describe('the line of a comment', () => {
  it.each([
    ['the last proposed line', 'proposed', 3, 'four'],
    ['a removed line', 'base', 2, 'two'],
    ['behind the end', 'proposed', 4, null],
    ['before the beginning', 'proposed', 0, null],
  ] as const)('%s', (_, side, line, quote) => expect(quotedLine(texts, { side, line })).toBe(quote))
  it('of a file that is not there does not exist', () =>
    expect(quotedLine({ base: null, proposed: null }, { side: 'base', line: 1 })).toBeNull())
})

describe('what a comment is about', () => {
  it.each([
    ['a proposed line that stands where it stood', 'proposed', 'three', 'one\nthree\n', false],
    ['a proposed line that moved', 'proposed', 'three', 'three\nnew\none\n', false],
    ['a proposed line that was reworded', 'proposed', 'three', 'one\nThree.\nfour\n', true],
    ['one of two equal lines that is gone', 'proposed', 'twice', 'twice\n', true],
    ['a file that is no longer proposed', 'proposed', 'three', null, true],
    ['a removed line that is still removed', 'base', 'two', 'one\nthree\n', false],
    ['a removed line that is back', 'base', 'two', 'one\ntwo\nthree\n', true],
  ] as const)('%s', (_, side, quote, after, changed) => {
    const before = 'one\nthree\nfour\ntwice\ntwice\n'
    expect(wasChanged({ side, quote }, { before, after })).toBe(changed)
  })
})
