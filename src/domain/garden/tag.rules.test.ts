import { describe, expect, test } from 'vitest'
import { bareTag, foldTag, isTag } from './tag.rules.ts'

describe('a tag', () => {
  test.each([
    'bed',
    'domain:execution',
    'status:canonical',
    'a/b',
    'x_y-z',
    '2026',
    'стан:чернетка',
    'a'.repeat(64),
  ])('%s is one', (text) => expect(isTag(text)).toBe(true))
  test.each(['', ':a', '-a', '/a', '_a', 'two words', 'a.b', '#bed', 'a,b', 'a\nb', 'a'.repeat(65)])(
    '%j is none',
    (text) => expect(isTag(text)).toBe(false),
  )
  test('is kept bare and composed, and compared without letter case', () => {
    expect(bareTag(' #и\u0306ога ')).toBe('йога')
    expect(foldTag('#Domain:Execution')).toBe('domain:execution')
  })
})
