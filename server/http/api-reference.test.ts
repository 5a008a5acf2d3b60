import { expect, test } from 'vitest'
import { fieldsOf } from './api-fields.ts'
import { apiEntries, apiOperation } from './api-reference.ts'

const BASE = 'https://garden.example'

test('every operation that is listed can be opened, with a command that names its address', () => {
  for (const { address, method, path } of apiEntries()) {
    const operation = apiOperation(address, BASE)
    const begin = path.split('{')[0] as string
    expect(operation?.example, address).toMatch(/^curl /)
    expect(operation?.example).toContain(`${BASE}${begin}`)
    expect(operation?.example).not.toMatch(/undefined|\{\w+\}/)
    expect(method === 'GET' || operation?.example.includes(`-X ${method}`)).toBe(true)
  }
  expect(apiOperation('GET /nowhere', BASE)).toBeNull()
  expect(apiOperation('__proto__', BASE)).toBeNull()
})

test('who may call is said from the policy', () => {
  const callers = (address: string) => apiOperation(address, BASE)?.callers
  expect(callers('POST /api/v1/proposals/{proposal_id}/force')).toEqual({
    roles: ['owner'],
    key: false,
    stepUp: true,
  })
  expect(callers('GET /api/v1/notes')?.roles).toEqual(['owner', 'operator', 'guest'])
  expect(callers('POST /api/v1/artifacts')?.key).toBe(true)
  expect(callers('GET /health')).toEqual({ roles: [], key: false, stepUp: false })
})

test('fields are rows with their place, type and limits', () => {
  const item = { type: 'string', enum: ['A', 'B'] }
  const schema = {
    type: 'object',
    required: ['list'],
    properties: {
      list: {
        type: 'array',
        items: { type: 'object', properties: { n: { type: 'integer', minimum: 1, maximum: 9 } } },
      },
      either: { anyOf: [item, { type: 'array', items: item }] },
      text: { type: ['string', 'null'], maxLength: 5, default: '' },
    },
  }
  expect(fieldsOf(schema)).toEqual([
    { name: 'list', type: 'array of object', required: true, limits: '' },
    { name: 'list[].n', type: 'integer', required: false, limits: '1–9' },
    { name: 'either', type: 'one or several of A | B', required: false, limits: '' },
    { name: 'text', type: 'string | null', required: false, limits: '≤ 5 characters, default ""' },
  ])
})
