import { expect, test } from 'vitest'
import { mean, median, percentile, rounded, splitWait, spreadOf } from './statistics.ts'

test.each([
  { values: [], p50: Number.NaN, p95: Number.NaN, middle: Number.NaN },
  { values: [7], p50: 7, p95: 7, middle: 7 },
  { values: [4, 1, 3, 2], p50: 2, p95: 4, middle: 2.5 },
  { values: Array.from({ length: 100 }, (_, n) => n + 1), p50: 50, p95: 95, middle: 50.5 },
])('of $values.length values', ({ values, p50, p95, middle }) => {
  expect(percentile(values, 0.5)).toBe(p50)
  expect(percentile(values, 0.95)).toBe(p95)
  expect(median(values)).toBe(middle)
})

test('the spread keeps its ends, and the order of what was measured is left alone', () => {
  const values = [10, 9, 100]
  expect(spreadOf(values)).toEqual({ median: 10, min: 9, max: 100 })
  expect(values).toEqual([10, 9, 100])
  expect(mean(values)).toBeCloseTo(39.67, 2)
})

test.each([
  [0.123456, 0.123],
  [12.3456, 12.3],
  [123.456, 123],
  [1234.56, 1235],
  [-0.5, -0.5],
  [0, 0],
])('%d is worth %d', (value, shown) => {
  expect(rounded(value)).toBe(shown)
})

test('a wait is split among what it waited for, each moment once', () => {
  const wait = { from: 100, to: 200 }
  const request = [{ from: 90, to: 120 }]
  const refetch = [
    { from: 110, to: 130 },
    { from: 150, to: 160 },
    { from: 155, to: 170 },
    { from: 190, to: 900 },
    { from: 300, to: 400 },
  ]
  expect(splitWait(wait, { request, refetch }, 'render')).toEqual({ request: 20, refetch: 40, render: 40 })
  expect(splitWait(wait, { request: [], refetch: [wait] }, 'render')).toEqual({
    request: 0,
    refetch: 100,
    render: 0,
  })
})
