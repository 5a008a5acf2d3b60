import { expect, test } from 'vitest'
import { maskedKey } from './mask-key.rules.ts'

test.each([
  [null, ''],
  ['', ''],
  ['a', '****'],
  ['abcdefgh', '****'],
  ['abcdefghi', '****fghi'],
  ['0123456789abcdef', '****cdef'],
])('%s is shown as %s', (key, shown) => {
  expect(maskedKey(key)).toBe(shown)
})
