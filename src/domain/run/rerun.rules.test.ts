import { expect, test } from 'vitest'
import { rerunFault, rerunnableFrom, reusedFrom } from './rerun.rules.ts'

test.each([
  ['completed', [1, 2, 3, 4], [1, 2, 3]],
  ['failed', [1, 2], [1, 2, 3]],
  ['failed', [1], [1, 2]],
  ['cancelled', [], [1]],
  ['running', [1, 2], []],
  ['queued', [], []],
] as const)('a %s run with the steps %o completed is replayed from %o', (status, completed, from) => {
  expect(rerunnableFrom({ status, completed })).toEqual(from)
  for (const step of [1, 2, 3] as const) {
    const fault = rerunFault({ status, completed }, step, false)
    expect([step, fault?.code]).toEqual([
      step,
      (from as readonly number[]).includes(step) ? undefined : 'INVALID_TRANSITION',
    ])
  }
})

test('other parameters come with step 01 alone', () => {
  const source = { status: 'completed', completed: [1, 2, 3, 4] } as const
  expect([1, 2, 3].map((step) => rerunFault(source, step, true)?.code)).toEqual([
    undefined,
    'VALIDATION_FAILED',
    'VALIDATION_FAILED',
  ])
  expect([1, 2, 3].map(reusedFrom)).toEqual([[], [1], [1, 2]])
})
