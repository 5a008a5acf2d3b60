import { expect, test } from 'vitest'
import { outsideAddress, safePath } from './safe-path.ts'

test.each([
  ['/jobs?status=DEAD', '/jobs?status=DEAD'],
  ['/proposals/x?tab=history&q=a%26b', '/proposals/x?tab=history&q=a%26b'],
  ['/%2Fevil.example', '/%2Fevil.example'],
  ['/.//evil.example', '/'],
  ['/x/..//evil.example', '/'],
  ['/./sign-in', '/'],
  ['http:/evil.example', '/'],
  ['/\t/evil.example', '/'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['https://evil.example', '/'],
  ['/a\n/b', '/'],
  ['javascript:alert(1)', '/'],
  ['/sign-in?to=/x', '/'],
  [null, '/'],
])('the return path %j becomes %s', (to, path) => {
  expect(safePath(to)).toBe(path)
})

test.each([
  ['https://example.org/x', 'example.org'],
  ['javascript:alert(1)', undefined],
  ['data:text/html,x', undefined],
  ['https://user:word@example.org', undefined],
  ['//example.org', undefined],
])('the outside address %s leads to %s', (to, host) => {
  expect(outsideAddress(to)?.host).toBe(host)
})
