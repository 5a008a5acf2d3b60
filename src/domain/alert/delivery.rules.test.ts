import { describe, expect, it } from 'vitest'
import {
  MAX_AGE_SECONDS,
  MAX_ATTEMPTS,
  nextAttempt,
  outcomeOfReply,
  outcomeOfStatus,
  pauseAfter,
} from './delivery.rules.ts'

describe('the pauses between attempts', () => {
  it.each([
    [1, 0, 5],
    [2, 0, 10],
    [3, 0, 20],
    [9, 0, 1_280],
    [30, 0, 3_600],
    [1, 90, 90],
    [5, 1, 80],
    [1, 90_000, 3_600],
  ])('after attempt %d, asked for %d s: %d s', (attempts, asked, pause) =>
    expect(pauseAfter(attempts, asked)).toBe(pause),
  )

  const later = { kind: 'later', message: '' } as const
  it.each([
    [later, 1, 0, 5],
    [{ ...later, retryAfter: 60 }, 1, 0, 60],
    [later, MAX_ATTEMPTS - 1, 0, 2_560],
    [later, MAX_ATTEMPTS, 0, null],
    [later, 1, MAX_AGE_SECONDS - 5, 5],
    [later, 1, MAX_AGE_SECONDS - 4, null],
    [{ kind: 'refused', message: '' } as const, 1, 0, null],
  ])('%j at attempt %d and %d s of age: %s', (outcome, attempts, ageSeconds, seconds) =>
    expect(nextAttempt(outcome, { attempts, ageSeconds })).toBe(seconds),
  )
})

it.each([
  [200, 'delivered'],
  [204, 'delivered'],
  [400, 'refused'],
  [404, 'refused'],
  [410, 'refused'],
  [408, 'later'],
  [429, 'later'],
  [500, 'later'],
  [503, 'later'],
])('status %d: %s', (status, kind) => expect(outcomeOfStatus(status, undefined).kind).toBe(kind))

it.each([
  [550, 'refused'],
  [535, 'refused'],
  [421, 'later'],
  [undefined, 'later'],
])('SMTP reply %s: %s', (code, kind) => expect(outcomeOfReply(code, 'text').kind).toBe(kind))
