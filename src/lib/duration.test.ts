import { expect, it } from 'vitest'
import { formatDuration } from './duration.ts'

it.each([
  [-5, false, '0 s', '0 с'],
  [940, true, '940 ms', '940 мс'],
  [940, false, '0 s', '0 с'],
  [5_960, true, '5.9 s', '5,9 с'],
  [59_999, false, '59 s', '59 с'],
  [65_000, true, '1 m 05 s', '1 хв 05 с'],
  [7_860_000, false, '2 h 11 m', '2 год 11 хв'],
  [273_600_000, false, '3 d 4 h', '3 д 4 год'],
])('%d ms (precise %s) is %s · %s', (ms, precise, en, uk) => {
  expect(formatDuration(ms, 'en', precise)).toBe(en)
  expect(formatDuration(ms, 'uk', precise)).toBe(uk)
})
