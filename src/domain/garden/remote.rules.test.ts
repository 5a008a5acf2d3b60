import { expect, test } from 'vitest'
import { pushPause, remoteMark } from './remote.rules.ts'

test.each([
  [{ configured: false, commit: 'c', pushed: false }, 'none'],
  [{ configured: false, commit: 'c', pushed: true }, 'none'],
  [{ configured: true, commit: null, pushed: false }, 'none'],
  [{ configured: true, commit: 'c', pushed: false }, 'local'],
  [{ configured: true, commit: 'c', pushed: true }, 'pushed'],
] as const)('the mark of %o is %s', (of, mark) => expect(remoteMark(of)).toBe(mark))

test('the pauses grow and end growing', () => {
  expect([1, 2, 3, 7, 8, 9, 10_000].map(pushPause)).toEqual([5, 10, 20, 320, 600, 600, 600])
})
