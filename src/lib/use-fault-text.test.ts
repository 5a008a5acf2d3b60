import { expect, test } from 'vitest'
import { toFault } from './fault.ts'
import { faultDetail } from './use-fault-text.ts'

const WORDS = 'Not a garden path: it is absolute.'
const fault = (code: string, details?: unknown) =>
  toFault({ error: { code, message: WORDS, details, retryable: false } })

test.each<[string, unknown, string]>([
  ['PATH_NOT_ALLOWED', undefined, WORDS],
  ['VALIDATION_FAILED', undefined, WORDS],
  ['VALIDATION_FAILED', [{ field: 'path', message: 'is missing' }], 'path: is missing'],
  ['VALIDATION_FAILED', [{ field: 'password', message: 'x', reason: 'too_short' }], ''],
  ['INVALID_TRANSITION', undefined, ''],
  ['INTERNAL_ERROR', undefined, ''],
])('below the sentence for %s with %j stands «%s»', (code, details, detail) => {
  expect(faultDetail(fault(code, details))).toBe(detail)
})
