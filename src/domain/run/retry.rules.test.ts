import { describe, expect, test } from 'vitest'
import { afterStepFault, type RetryCause, type StepNumber } from './retry.rules.ts'
import { RUN_RETRY_BUDGET } from './step.machine.ts'

/** The delays a step is given until it is final, read off the rule. */
const delays = (step: StepNumber, cause: RetryCause | null): number[] => {
  const out: number[] = []
  for (let failures = 1; ; failures++) {
    const next = afterStepFault(step, { cause }, failures, 0)
    if (!next.retry) return out
    out.push(next.afterSeconds)
  }
}

describe('retries of a step, row by row', () => {
  test.each<[StepNumber, RetryCause | null, number[]]>([
    [1, 'upstream', [5, 5]],
    [1, 'storage', [1, 2, 4]],
    [1, 'model', []],
    [1, null, []],
    [2, 'model', [1, 2, 4]],
    [2, 'crash', [1, 2, 4]],
    [2, null, []],
    [3, 'storage', [1, 2, 4]],
    [3, null, []],
    [4, 'storage', [1, 2, 4]],
    [4, null, []],
  ])('step %i on %s', (step, cause, expected) => {
    expect(delays(step, cause)).toEqual(expected)
  })

  test('the last retry of the run is given, the next is not', () => {
    expect(afterStepFault(2, { cause: 'crash' }, 1, RUN_RETRY_BUDGET - 1).retry).toBe(true)
    expect(afterStepFault(2, { cause: 'crash' }, 1, RUN_RETRY_BUDGET)).toEqual({
      retry: false,
      budgetSpent: true,
    })
  })

  test('nested retries stay within the run: no order of causes gives more than the budget', () => {
    let used = 0
    for (const step of [1, 2, 3, 4] as const) {
      for (const cause of ['storage', 'crash', 'upstream'] as const) {
        for (let failures = 1; ; failures++) {
          if (!afterStepFault(step, { cause }, failures, used).retry) break
          used++
        }
      }
    }
    expect(used).toBe(RUN_RETRY_BUDGET)
  })
})
