import { expect, it } from 'vitest'
import { choiceOf, offeredAnswers, repliedText } from './question.rules.ts'

const question = { choices: ['North', 'South'], default_answer: 'Both' }

it('offers the choices and the default that is none of them, as many as there are keys', () => {
  expect(offeredAnswers(question)).toEqual(['North', 'South', 'Both'])
  expect(offeredAnswers({ ...question, default_answer: 'South' })).toEqual(['North', 'South'])
  expect(offeredAnswers({ choices: [], default_answer: null })).toEqual([])
  expect(offeredAnswers({ choices: ['a', 'b', 'c', 'd', 'e'], default_answer: 'f' })).toHaveLength(5)
})

it('reads a reply by number, and in words', () => {
  expect(repliedText(question, { choice: 3 })).toBe('Both')
  expect(repliedText(question, { choice: 4 })).toBeNull()
  expect(repliedText(question, { text: 'Neither' })).toBe('Neither')
  expect([choiceOf(question, 'South'), choiceOf(question, 'Neither')]).toEqual([2, null])
})
