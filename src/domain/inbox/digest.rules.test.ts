import { expect, it } from 'vitest'
import { digestDay, digestTotal, localTime } from './digest.rules.ts'

const at = (text: string) => new Date(text)
const OLD = at('2020-01-01T00:00:00Z')

it.each([
  ['2026-03-02T07:59:00Z', 'UTC', null],
  ['2026-03-02T08:00:00Z', 'UTC', '2026-03-02'],
  ['2026-03-02T23:59:59Z', 'UTC', '2026-03-02'],
  ['2026-03-02T05:59:00Z', 'Europe/Kyiv', null],
  ['2026-03-02T06:00:00Z', 'Europe/Kyiv', '2026-03-02'],
  // By night of UTC it is the next day there already, and before its time.
  ['2026-03-02T23:00:00Z', 'Europe/Kyiv', null],
  ['2026-03-02T03:00:00Z', 'America/Los_Angeles', '2026-03-01'],
  // The hour that a change to summer time leaves out.
  ['2026-03-29T01:30:00Z', 'Europe/Kyiv', null],
  ['2026-03-29T05:00:00Z', 'Europe/Kyiv', '2026-03-29'],
  ['2026-03-02T08:00:00Z', 'Mars/Olympus', '2026-03-02'],
])('at %s in %s: %s', (now, time_zone, day) => {
  expect(digestDay({ digest_at: 480, time_zone, created_at: OLD }, at(now))).toBe(day)
})

it('is not due on the day on which an account was made after its time', () => {
  const one = { digest_at: 480, time_zone: 'UTC', created_at: at('2026-03-02T09:00:00Z') }
  expect(digestDay(one, at('2026-03-02T10:00:00Z'))).toBeNull()
  expect(digestDay(one, at('2026-03-03T08:00:00Z'))).toBe('2026-03-03')
})

it('begins a day at midnight', () => {
  expect(localTime(at('2026-03-02T00:00:00Z'), 'UTC')).toEqual({ day: '2026-03-02', minutes: 0 })
})

it('counts what waits once', () => {
  const counts = { expiring: 3, conflicts: 2, proposals: 9, failed: 1, questions: 1, dead_jobs: 5, other: 2 }
  expect(digestTotal(counts)).toBe(9 + 1 + 1 + 1 + 2)
})
