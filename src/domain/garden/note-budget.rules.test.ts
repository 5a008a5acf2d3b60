import { expect, it } from 'vitest'
import { budgetMessage } from './note-budget.rules.ts'

it('says the budget and its limit', () => {
  expect(budgetMessage({ budget: 'line', limit: 20_000 })).toBe('more than 20 000 characters in one line')
})
