import { describe, expect, it } from 'vitest'
import { bucketStates, type Span, timesOf, uptimeOf } from './uptime.rules.ts'

const FRAME = { from: 0, to: 100, buckets: 10 }
const span = (state: Span['state'], since: number, until: number): Span => ({ state, since, until })
const SIGNS = { ok: '.', degraded: 'd', down: 'X', unknown: '?' } as const
const drawn = (...spans: Span[]) =>
  bucketStates(spans, FRAME)
    .map((state) => SIGNS[state])
    .join('')

describe('the buckets of a window', () => {
  it.each<[string, Span[], string]>([
    ['nothing is known where nobody watched', [], '??????????'],
    ['all of it was well', [span('ok', -50, 150)], '..........'],
    [
      'a moment of trouble is not lost',
      [span('ok', 0, 51), span('down', 51, 52), span('ok', 52, 100)],
      '.....X....',
    ],
    [
      'the worst is shown',
      [span('degraded', 0, 15), span('down', 15, 20), span('ok', 20, 100)],
      'dX........',
    ],
    ['a gap is unknown, not down', [span('ok', 0, 40), span('ok', 60, 100)], '....??....'],
    ['half a bucket is enough to be well', [span('ok', 5, 14)], '.?????????'],
    ['trouble ends where the span does', [span('down', 0, 10)], 'X?????????'],
    ['what lies outside says nothing', [span('down', -20, 0), span('down', 100, 120)], '??????????'],
  ])('%s', (_, spans, expected) => {
    expect(drawn(...spans)).toBe(expected)
  })
})

it('counts the watched time only, and degraded as up', () => {
  const times = timesOf([span('ok', 0, 40), span('degraded', 40, 50), span('down', 50, 60)], FRAME)
  expect(times).toEqual({ ok: 40, degraded: 10, down: 10, unknown: 40 })
  expect(uptimeOf(times)).toBeCloseTo(50 / 60)
  expect(uptimeOf(timesOf([], FRAME))).toBeNull()
})
