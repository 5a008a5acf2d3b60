import { expect, it } from 'vitest'
import { createTaskInput } from '#contracts/llm-task.contract.ts'
import { fieldOf, isReady, NEW_TASK, requestOf } from './new-task-request.ts'

const WRITTEN = { ...NEW_TASK, agent: ' scout ', context: 'garden', prompt: 'Name three bees.' }

it('makes a request that the server takes', () => {
  const request = requestOf({ ...WRITTEN, labels: 'gpu, , fast,gpu', format: 'json', attempts: '2' })
  expect(createTaskInput.parse(request)).toMatchObject({
    ...{ agent_slug: 'scout', context_id: 'garden', prompt: 'Name three bees.', desired_format: 'json' },
    ...{ max_attempts: 2, policy: { timeout_sec: 120, required_labels: ['gpu', 'fast'] } },
  })
})

it.each([
  [{}, true],
  [{ agent: ' ' }, false],
  [{ prompt: '' }, false],
  [{ timeout: '0' }, false],
  [{ timeout: '3601' }, false],
  [{ timeout: '1.5' }, false],
  [{ attempts: '11' }, false],
])('with %j it is ready: %s', (fields, ready) => {
  expect(isReady({ ...WRITTEN, ...fields })).toBe(ready)
})

it('finds the field that a refusal is about', () => {
  expect(fieldOf('policy.required_labels.0')).toBe('labels')
  expect(fieldOf('agent_slug')).toBe('agent')
  expect(fieldOf('tracing')).toBeUndefined()
})
