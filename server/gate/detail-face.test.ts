import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Refusal } from '#domain/kernel/errors.ts'
import { DETAIL_FACE } from './detail-face.ts'

const body = (refusal: Refusal) => JSON.stringify(DETAIL_FACE.errorBody(refusal, 'ab12cd34ef56'))

describe('a refusal', () => {
  test.each<[string, Refusal, string]>([
    [
      '401 holds the text alone',
      { code: 'AUTH_REQUIRED', message: 'Unauthorized' },
      '{"detail":"Unauthorized"}',
    ],
    ['404 too', { code: 'NOT_FOUND', message: "Job 'x' not found" }, `{"detail":"Job 'x' not found"}`],
    ['405 too', { code: 'METHOD_NOT_ALLOWED', message: 'No.' }, '{"detail":"No."}'],
    [
      '409 says its code, and what it has to add, beside the text',
      {
        code: 'INVALID_TRANSITION',
        message: 'The job is COMPLETE.',
        details: { from: 'COMPLETE', allowed: [] },
      },
      '{"from":"COMPLETE","allowed":[],"detail":"The job is COMPLETE.","code":"INVALID_TRANSITION"}',
    ],
    [
      'details never stand in for text or code',
      { code: 'JOB_WRITING', message: 'Writing.', details: { detail: 'x', code: 'y' } },
      '{"detail":"Writing.","code":"JOB_WRITING"}',
    ],
    [
      '503 says its code',
      { code: 'STORAGE_UNAVAILABLE', message: 'The ledger does not answer.' },
      '{"detail":"The ledger does not answer.","code":"STORAGE_UNAVAILABLE"}',
    ],
    [
      '422 without fields is a fault of the body',
      { code: 'VALIDATION_FAILED', message: 'A value cannot be stored as it is.' },
      '{"detail":[{"loc":["body"],"msg":"A value cannot be stored as it is.","type":"value_error"}]}',
    ],
    [
      '422 of a use-case names its fields',
      {
        code: 'VALIDATION_FAILED',
        message: 'Some fields are not valid.',
        details: [{ field: 'payload.query', message: 'is empty' }],
      },
      '{"detail":[{"loc":["body","payload","query"],"msg":"is empty","type":"value_error"}]}',
    ],
  ])('%s', (_, refusal, text) => {
    expect(body(refusal)).toBe(text)
  })
})

describe('input that does not fit', () => {
  const schema = z.object({
    name: z.string().min(1),
    lease: z.object({ seconds: z.number() }).optional(),
    labels: z.array(z.string()).optional(),
  })
  const faults = (value: unknown, place: 'body' | 'query' = 'body') => {
    const { error } = schema.safeParse(value)
    if (!error) throw new Error('it fits')
    return (
      DETAIL_FACE.errorBody(DETAIL_FACE.invalidInput({ error, place, value }), '') as { detail: unknown }
    ).detail
  }

  test.each<[unknown, (string | number)[], string]>([
    [{}, ['body', 'name'], 'missing'],
    [{ name: null }, ['body', 'name'], 'invalid_type'],
    [{ name: '' }, ['body', 'name'], 'too_small'],
    [{ name: 'x', lease: {} }, ['body', 'lease', 'seconds'], 'missing'],
    [{ name: 'x', labels: ['a', 5] }, ['body', 'labels', 1], 'invalid_type'],
    [['x'], ['body'], 'invalid_type'],
  ])('%j is told at %j as %s', (value, loc, type) => {
    expect(faults(value)).toEqual([{ loc, msg: expect.any(String), type }])
  })

  test('a required field says so, and a query is called one', () => {
    expect(faults({}, 'query')).toEqual([{ loc: ['query', 'name'], msg: 'Field required', type: 'missing' }])
  })
})
