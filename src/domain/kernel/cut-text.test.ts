import { describe, expect, test } from 'vitest'
import { cutText } from './cut-text.ts'

describe('a text that is cut', () => {
  test.each([
    ['shorter than it may be', 'Leeks', 10, 'Leeks'],
    ['as long as it may be', 'Leeks 🌱', 8, 'Leeks 🌱'],
    ['between two characters', 'Leeks and garlic', 5, 'Leeks'],
    ['within a character of two units', 'Leeks 🌱', 7, 'Leeks '],
    ['behind such a character', 'Leeks 🌱 and garlic', 8, 'Leeks 🌱'],
    ['to nothing', '🌱', 1, ''],
  ])('%s', (_, text, most, cut) => {
    expect(cutText(text, most)).toBe(cut)
  })
})
