import { expect, test } from 'vitest'
import { ok } from '#domain/kernel/result.ts'
import type { Services } from '#server/services.ts'
import { createApp } from './app.ts'
import { type Route, route } from './route.ts'

const declared = route({
  at: 'GET /api/v1/test',
  policy: { open: 'a test' },
  summary: 'Nothing',
  tag: 'Test',
  output: null,
  run: async () => ok(null),
})
const services = async () => ({}) as Services

test('two routes for one address stop the start', () => {
  expect(() => createApp(services, [declared, declared])).toThrow('two routes')
})

test('a route without a policy stops the start', () => {
  const { policy: _policy, ...bare } = declared
  expect(() => createApp(services, [bare as Route])).toThrow('no policy')
})
