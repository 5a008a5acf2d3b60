import { expect, test } from 'vitest'
import { EXTRACTIVE_ENGINE } from '#server/retrieval/research-engine.ts'
import { createExecutorRegistry } from './executor-registry.ts'

const executor = (id: string) => ({
  engine: { ...EXTRACTIVE_ENGINE, id },
  execute: async () => Promise.reject(new Error('not used')),
})

test.each([
  ['extractive', 'extractive'],
  ['worker/claude', 'worker'],
  ['anthropic/claude', undefined],
  ['oracle', undefined],
  ['', undefined],
  ['__proto__', undefined],
])('the model %s is executed by %s', (model, id) => {
  const registry = createExecutorRegistry({ extractive: executor('extractive'), worker: executor('worker') })
  expect(registry.find(model)?.engine.id).toBe(id)
})
