import { describe, expect, it } from 'vitest'
import { jobMachine } from './job.machine.ts'
import { backoffTable, FAILURE_KIND_OF } from './job.rules.ts'

describe('backoff of a job', () => {
  it.each([
    [undefined, [15, 30, 60]],
    [0, [15, 30, 60]],
    [9, [15, 30, 60]],
    [39.2, [40, 40, 60]],
    [9_999, [300, 300, 300]],
    [-5, [15, 30, 60]],
  ])('with Retry-After %s backs off %j s', (retryAfter, seconds) => {
    expect(backoffTable(retryAfter)).toEqual(seconds)
  })

  it('names a failure kind for every event into FAILED, and for no other', () => {
    for (const [event, edge] of Object.entries(jobMachine.events)) {
      expect(Object.hasOwn(FAILURE_KIND_OF, event), event).toBe(edge.to === 'FAILED')
    }
  })
})
