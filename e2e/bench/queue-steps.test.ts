import { expect, test } from 'vitest'
import { perJob, stepOf } from './queue-steps.ts'

test.each([
  ['BEGIN', 'transaction'],
  ['COMMIT', 'transaction'],
  ['WITH o AS (SELECT … WHERE o.job_id = ANY((SELECT job_heads($1))::uuid[]))', 'claim'],
  ['SELECT bloom_seal($1) AS n', 'seal'],
  ['SELECT pg_notify($1, $2)', 'notify'],
  ['UPDATE consumer SET seq = $1', 'deliver'],
  ['SELECT 1', 'other'],
])('%s is a statement of %s', (text, step) => {
  expect(stepOf(text)).toBe(step)
})

test('the parts of a job are microseconds, the largest first', () => {
  const steps = { seal: { ms: 5, count: 2 }, claim: { ms: 10, count: 1 } }
  expect(Object.entries(perJob(steps, 100).parts)).toEqual([
    ['claim', 100],
    ['seal', 50],
  ])
})
