import { describe, expect, it } from 'vitest'
import { ALIKE, similarity } from './similarity.rules.ts'

const lines = (...numbers: number[]) => numbers.map((n) => `This is line ${n} of a note.\n`).join('')

describe('two texts', () => {
  it.each([
    ['are the same', 1, lines(1, 2, 3), lines(1, 2, 3)],
    ['are both empty', 1, '', ''],
    ['hold the same lines in another order', 1, lines(1, 2, 3), lines(3, 1, 2)],
    ['share half of their lines', 0.5, lines(1, 2, 3, 4), lines(3, 4, 5, 6)],
    ['share a line, which counts once', 0.25, lines(1, 2, 3, 4), lines(1, 1, 1, 1)],
    ['share nothing', 0, lines(1, 2), lines(3, 4)],
    ['are too different in length', 0, lines(1), lines(1, 2, 3)],
    ['are empty and not', 0, '', lines(1)],
  ])('that %s are alike by %d', (_, alike, before, after) => {
    expect(similarity(before, after)).toBeCloseTo(alike)
    expect(similarity(after, before)).toBeCloseTo(alike)
  })

  it('of one long line are alike though a word is another', () => {
    const line = Array.from({ length: 100 }, (_, n) => `word${n}`).join(' ')
    expect(similarity(line, line.replace('word90', 'weed90'))).toBeGreaterThan(ALIKE)
  })
})
