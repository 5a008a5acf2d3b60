import { expect, test } from 'vitest'
import { positionOf } from './position.ts'

const order = (count: number, ...removed: number[]) => ({
  ids: Array.from({ length: count }, (_, n) => String(n + 1)),
  removed: new Set(removed.map(String)),
})
const WHOLE = { more: false, waiting: 900 }

test.each([
  ['the first of all', '1', order(48), WHOLE, { at: 1, total: 48, left: 48, exact: true }],
  ['after decisions', '18', order(48, 1, 2, 3), WHOLE, { at: 18, total: 48, left: 45, exact: true }],
  [
    'loaded in part',
    '2',
    order(50, 1),
    { more: true, waiting: 4_999 },
    { at: 2, total: 5_000, left: 4_999, exact: true },
  ],
  [
    'loaded in part, not counted',
    '2',
    order(50, 1),
    { more: true, waiting: null },
    { at: 2, total: 50, left: 49, exact: false },
  ],
  [
    'counted before more came',
    '50',
    order(50),
    { more: true, waiting: 3 },
    { at: 50, total: 50, left: 50, exact: true },
  ],
  ['not in the list', 'x', order(3), WHOLE, null],
])('%s', (_, id, shown, list, position) => {
  expect(positionOf(id, shown, list)).toEqual(position)
})
