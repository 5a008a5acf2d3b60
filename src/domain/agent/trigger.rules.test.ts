import { expect, test } from 'vitest'
import { triggerFault } from './trigger.rules.ts'

test.each<[string[], string | null]>([
  [[], null],
  [['other'], null],
  [['scout'], 'own_work'],
  [['scout', 'other'], 'own_work'],
  [['a', 'b', 'c', 'd'], null],
  [['a', 'b', 'c', 'd', 'e'], 'chain_too_long'],
])('after %j an event starts the agent: %s', (chain, fault) => {
  expect(triggerFault('scout', chain)).toBe(fault)
})
