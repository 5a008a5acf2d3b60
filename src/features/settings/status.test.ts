import { expect, test } from 'vitest'
import { HEALTH_REASONS } from '#contracts/system.contract.ts'
import { numberIn, reasonOf } from './status.ts'

test.each(HEALTH_REASONS)('a message that begins with %s has a text of its own', (reason) => {
  expect(reasonOf(`${reason}: The words: 12 of them.`)).toEqual({ reason, text: 'The words: 12 of them.' })
})

test.each(['it does not answer', 'git could not read x: fault', '', 'toString: x'])(
  '«%s» is shown as it came',
  (message) => {
    expect(reasonOf(message)).toEqual({ reason: null, text: message })
  },
)

test('the number of a message is the one that its translation names', () => {
  expect(numberIn('Only 12 MiB are left on the disk.')).toBe('12')
  expect(numberIn('There is no space left.')).toBe('')
})
