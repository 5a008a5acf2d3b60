import { expect, it } from 'vitest'
import { type LineMember, placeOfAnswer } from './answer.rules.ts'

const of = (status: LineMember['status'], more: Partial<LineMember> = {}): LineMember => ({
  status,
  request: null,
  answers: false,
  same_execution: false,
  ...more,
})
const reviewed = (status: LineMember['status']) => of(status, { request: 'first' })
const answer = (status: LineMember['status'], more: Partial<LineMember> = {}) =>
  of(status, { answers: true, ...more })
const superseded = reviewed('DISCARDED')

it.each<[string, readonly [LineMember, ...LineMember[]], ReturnType<typeof placeOfAnswer>]>([
  ['it waits', [reviewed('PENDING')], 'successor'],
  ['it could not be applied', [reviewed('FAILED')], 'successor'],
  ['it was rejected', [reviewed('REJECTED')], 'successor'],
  ['it has expired', [reviewed('EXPIRED')], 'successor'],
  ['it is approved', [reviewed('APPROVED')], 'in_hand'],
  ['it is being applied', [reviewed('APPLYING')], 'in_hand'],
  ['it is applied', [reviewed('APPLIED')], 'beside'],
  ['changes were requested once more', [of('PENDING', { request: 'second' })], 'overtaken'],
  [
    'changes were requested once more, and it was rejected',
    [of('REJECTED', { request: 'second' })],
    'beside',
  ],
  ['it has an answer that waits', [superseded, answer('PENDING')], 'successor'],
  ['it has an answer that could not be applied', [superseded, answer('FAILED')], 'successor'],
  ['it has an answer that was rejected', [superseded, answer('REJECTED')], 'successor'],
  ['it has an answer that is approved', [superseded, answer('APPROVED')], 'in_hand'],
  ['it has an answer that is applied', [superseded, answer('APPLIED')], 'beside'],
  ['it has an answer of this execution', [superseded, answer('PENDING', { same_execution: true })], 'beside'],
  [
    'changes of its answer were requested',
    [superseded, answer('PENDING', { request: 'second' })],
    'overtaken',
  ],
  [
    'its answer was answered in turn',
    [superseded, answer('DISCARDED', { request: 'second' }), of('PENDING')],
    'overtaken',
  ],
  ['its answer was edited', [superseded, answer('DISCARDED'), of('APPROVED')], 'in_hand'],
  ['its answer was rebased', [superseded, answer('DISCARDED'), of('PENDING')], 'in_hand'],
  [
    'a part of its answer is applied, and the rest waits',
    [superseded, answer('DISCARDED'), of('APPLIED'), of('PENDING')],
    'in_hand',
  ],
])('of one about which %s', (_, line, place) => expect(placeOfAnswer(line, 'first')).toBe(place))
