import { describe, expect, test } from 'vitest'
import {
  asSitting,
  current,
  type Outcome,
  type Sitting,
  tallyOf,
  withDecision,
  withFailure,
  withoutDecision,
} from './sitting.ts'

const MINUTE = 60_000
const decided = (...decisions: [string, Outcome, number][]) =>
  decisions.reduce<Sitting | null>(
    (s, [id, outcome, at]) => withDecision(s, { id, outcome, at }),
    null,
  ) as Sitting

describe('a sitting', () => {
  test('counts each proposal once, by its latest outcome', () => {
    const sitting = decided(
      ['a', 'approved', 0],
      ['b', 'rejected', MINUTE],
      ['c', 'snoozed', 2 * MINUTE],
      ['b', 'approved', 3 * MINUTE],
    )
    expect(tallyOf(sitting)).toEqual({
      done: 3,
      ms: null,
      approved: 2,
      rejected: 0,
      snoozed: 1,
      failed: 0,
      failures: [],
    })
  })

  test.each([
    [5, 2_500, 10_000],
    [5, 2_499, null],
    [4, MINUTE, null],
    [19, 0, null],
  ])('of %i decisions, one every %i ms, took %j ms', (count, every, ms) => {
    const all = Array.from({ length: count }, (_, n): [string, Outcome, number] => [
      `p${n}`,
      'approved',
      n * every,
    ])
    expect(tallyOf(decided(...all))).toMatchObject({ done: count, ms })
  })

  test('forgets what was undone, and is over when nothing is left', () => {
    const sitting = decided(['a', 'approved', 0], ['b', 'approved', 1])
    expect(tallyOf(withoutDecision(sitting, 'a') as Sitting).done).toBe(1)
    expect(withoutDecision(withoutDecision(sitting, 'a'), 'b')).toBeNull()
    expect(withoutDecision(sitting, 'unknown')).toBe(sitting)
  })

  test('names approvals that failed, and no others', () => {
    const sitting = decided(['a', 'approved', 0], ['b', 'rejected', 1])
    expect(tallyOf(withFailure(sitting, 'a') as Sitting)).toMatchObject({
      approved: 0,
      failed: 1,
      failures: ['a'],
    })
    expect(withFailure(sitting, 'b')).toBe(sitting)
    expect(withFailure(null, 'a')).toBeNull()
  })

  test('ends after half an hour without a decision', () => {
    const sitting = decided(['a', 'approved', 0])
    expect(current(sitting, 30 * MINUTE)).toBe(sitting)
    expect(current(sitting, 30 * MINUTE + 1)).toBeNull()
    expect(
      Object.keys(withDecision(sitting, { id: 'b', outcome: 'approved', at: 31 * MINUTE }).decisions),
    ).toEqual(['b'])
  })

  test.each([
    null,
    7,
    {},
    { from: 1, to: 2 },
    { from: 1, to: 2, decisions: { a: 'eaten' } },
    { from: 1, to: 2, decisions: null },
  ])('is not read from %j', (kept) => expect(asSitting(kept)).toBeNull())
})
