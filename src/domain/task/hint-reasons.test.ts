import { expect, it } from 'vitest'
import { atRevision, HINT_REASONS, reasonOf, unreadable } from './hint-reasons.ts'

it.each(Object.entries(HINT_REASONS))('knows %s by its words', (key, words) => {
  expect(reasonOf(words)).toEqual({ key })
})

it('knows what a reason is about', () => {
  expect(reasonOf(unreadable('EACCES'))).toEqual({ key: 'unreadable', value: 'EACCES' })
  expect(reasonOf(atRevision('abc123'))).toEqual({ key: 'revision', value: 'abc123' })
})

it.each(['', 'constructor', 'revision', 'cannot be read ()', 'no such file.'])('does not know %j', (text) => {
  expect(reasonOf(text)).toBeNull()
})
