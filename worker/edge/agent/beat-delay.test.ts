import { expect, test } from 'vitest'
import { beatDelay } from './beat-delay.ts'

test.each([
  // interval, failed, lowest, middle, highest
  [10, 0, 10, 10, 10],
  [10, 1, 8, 10, 12],
  [10, 2, 16, 20, 24],
  [10, 3, 32, 40, 48],
  [10, 4, 48, 60, 72],
  [10, 5, 48, 60, 72],
  [10, 1_000_000, 48, 60, 72],
  [1, 1, 0.8, 1, 1.2],
  [1, 4, 6.4, 8, 9.6],
  [1, 9, 6.4, 8, 9.6],
  [60, 1, 48, 60, 72],
  [300, 0, 300, 300, 300],
  [300, 1, 48, 60, 72],
])('every %d s, %d failed rounds: %d to %d to %d s', (intervalSeconds, failed, ...wanted) => {
  const delays = [0, 0.5, 1].map((random) => beatDelay({ intervalSeconds, failed, random }))
  expect(delays.map((delay) => Number(delay.toFixed(6)))).toEqual(wanted)
})
