import { describe, expect, it } from 'vitest'
import { jobMachine } from './job.machine.ts'
import { afterRetryableFailure, backoffSeconds, FAILURE_KIND_OF } from './job.rules.ts'

describe('backoff of a job', () => {
  it.each([
    [0, 0, 15],
    [1, 0, 30],
    [2, 0, 60],
    [9, 0, 60],
    [0, 40, 40],
    [2, 40, 60],
    [0, 9_999, 300],
    [-1, 0, 15],
  ])('attempt %i with Retry-After %i rests %i s', (attempt, retryAfter, seconds) => {
    expect(backoffSeconds(attempt, retryAfter)).toBe(seconds)
  })

  it('gives one first execution and three retries, then the end', () => {
    const schedule: (number | string)[] = []
    for (let attempt = 0; ; attempt++) {
      const next = afterRetryableFailure(attempt, 3)
      if (next === 'exhausted') {
        schedule.push(next)
        break
      }
      schedule.push(backoffSeconds(attempt))
    }
    expect(schedule).toEqual([15, 30, 60, 'exhausted'])
  })

  it('names a failure kind for every event into FAILED, and for no other', () => {
    for (const [event, edge] of Object.entries(jobMachine.events)) {
      expect(Object.hasOwn(FAILURE_KIND_OF, event), event).toBe(edge.to === 'FAILED')
    }
  })
})
