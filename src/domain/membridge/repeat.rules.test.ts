import { expect, test } from 'vitest'
import { CALL_REPEATS, mayRepeat, repeatDelayMs } from './repeat.rules.ts'

test('the pauses double, and spread by 30 % at most', () => {
  const pauses = (random: number) =>
    Array.from({ length: CALL_REPEATS }, (_, repeat) => repeatDelayMs(repeat, random))
  expect(pauses(0)).toEqual([500, 1_000, 2_000])
  expect(pauses(1)).toEqual([650, 1_300, 2_600])
})

test.each([
  [200, false],
  [301, false],
  [400, false],
  [401, false],
  [404, false],
  [429, false],
  [499, false],
  [500, true],
  [502, true],
  [503, true],
])('an answer of %i is repeated: %s', (status, repeated) => {
  expect(mayRepeat(status)).toBe(repeated)
})
