import { expect, test } from 'vitest'
import { markedWords, partAround } from './marked-words.ts'

const marked = (text: string, query: string) =>
  markedWords(text, query).map(([from, to]) => text.slice(from, to))

test.each([
  ['Leeks and garlic, a leek again.', 'leek', ['Leeks', 'leek']],
  ['Tomatoes grow; toma is a beginning.', 'toma', ['Tomatoes', 'toma']],
  ['Tomatoes grow.', 'toma ', []],
  ['Термін оренди лідерства минув.', 'оренда лідерства', ['оренди', 'лідерства']],
  ['Підв’язати помідори', "підв'язати", ['Підв’язати']],
  ['Cafe\u0301 and café', 'café', ['Cafe\u0301', 'café']],
  ['The bed is the bed.', 'the bed', ['bed', 'bed']],
])('%j is marked for %j', (text, query, expected) => {
  expect(marked(text, query)).toEqual(expected)
})

test('the part around the marks is short, begins at a word and keeps its marks', () => {
  const text = `${'soil and water '.repeat(40)}leeks near garlic ${'soil and water '.repeat(40)}leeks`
  const part = partAround(text, markedWords(text, 'leeks garlic'), 200)
  expect(part.text.length).toBeLessThanOrEqual(200)
  expect(part.marks.map(([from, to]) => part.text.slice(from, to))).toEqual(['leeks', 'garlic'])
  expect(text.slice(part.at, part.at + part.text.length)).toBe(part.text)
  expect(text[part.at - 1]).toBe(' ')
  expect(partAround('short', [], 200)).toEqual({ text: 'short', marks: [], at: 0 })
})

test('the part of a long line full of marks keeps those that it shows', () => {
  const text = `${'x '.repeat(500)}${'ab '.repeat(6_600)}`
  const marks = markedWords(text, 'ab')
  expect(marks).toHaveLength(6_600)
  const part = partAround(text, marks, 300)
  expect(part.marks).toHaveLength(100)
})
