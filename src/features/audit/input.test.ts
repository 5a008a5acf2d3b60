import { expect, test } from 'vitest'
import { auditInput } from './input.ts'

test.each<[Record<string, string>, object]>([
  [{}, {}],
  [
    { event: 'job', outcome: 'refused', q: 'lease', resource_id: 'j-1', actor: 'owner' },
    { event: 'job', outcome: 'refused', q: 'lease', resource_id: 'j-1', actor: 'owner' },
  ],
  // Whole days in UTC, the last one included.
  [
    { from: '2026-02-28', to: '2026-02-28' },
    { from: '2026-02-28T00:00:00.000Z', to: '2026-03-01T00:00:00.000Z' },
  ],
  [{ outcome: 'any', from: 'yesterday', to: '2026-13-40' }, {}],
])('the address %o asks for %o', (values, input) => {
  expect(auditInput(values)).toEqual(input)
})
