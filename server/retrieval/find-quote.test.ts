import { expect, it } from 'vitest'
import { findQuote } from './find-quote.ts'

const TEXT = ['# Beds', '', 'Leeks and', '  garlic.', '', '', 'Beans.', 'Leeks and garlic.', ''].join('\n')

it.each([
  ['one line', 'Beans.', 1, { from: 7, to: 7 }],
  ['over lines, white space folded', 'Leeks\nand   garlic.', 3, { from: 3, to: 4 }],
  ['the nearest of several', 'Leeks and garlic.', 7, { from: 8, to: 8 }],
  ['over an empty line', 'garlic. Beans.', 99, { from: 4, to: 7 }],
  ['the same letter in another normal form', 'Beans.'.normalize('NFD'), 7, { from: 7, to: 7 }],
  ['nowhere', 'Kale.', 1, null],
  ['nothing', '  \n', 1, null],
])('finds a quote: %s', (_, quote, near, lines) => {
  expect(findQuote(TEXT, quote, near)).toEqual(lines)
})
