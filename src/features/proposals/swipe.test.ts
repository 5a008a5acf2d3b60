import { expect, it } from 'vitest'
import { FAR_PX, pullOf, shiftOf, swipeRefusal } from './swipe.ts'

const CARD = {
  proposal_id: 'prop_2026-03-02_000000000001',
  risk: { level: 'low', score: 5, reasons: [] },
  freshness: { state: 'clean', mergeable: true, current_revision: 'r', current_hash: 'h' },
  target: { type: 'note', path: 'notes/bed.md' },
} as const
const FREE = { offered: true, held: [] }
const other = (path: string) => ({
  proposal_id: 'prop_2026-03-02_000000000002',
  target: { ...CARD.target, path },
})
type Args = Parameters<typeof swipeRefusal>

it.each([
  ['low risk, nothing else at its file', {}, FREE, null],
  ['another file is held', {}, { ...FREE, held: [other('notes/path.md')] }, null],
  ['the same file is held', {}, { ...FREE, held: [other('notes/bed.md')] }, 'contested'],
  ['medium risk', { risk: { ...CARD.risk, level: 'medium' } }, FREE, 'risk'],
  ['high risk', { risk: { ...CARD.risk, level: 'high' } }, FREE, 'risk'],
  ['a risk that is not known', { risk: null }, FREE, 'risk'],
  ['a change that merges', { freshness: { ...CARD.freshness, state: 'changed' } }, FREE, 'changed'],
  ['a file that is gone', { freshness: { ...CARD.freshness, state: 'missing' } }, FREE, 'changed'],
  ['not read against its file', { freshness: null }, FREE, 'changed'],
  ['no button approves it', {}, { ...FREE, offered: false }, 'buttons'],
] as const)('a swipe and %s', (_name, more, now, refusal) => {
  expect(swipeRefusal({ ...CARD, ...more } as Args[0], now as Args[1])).toBe(refusal)
})

it('means something only when the card is drawn far, to either side', () => {
  const pulls = [0, 1, FAR_PX - 1, FAR_PX, -FAR_PX + 1, -FAR_PX].map(pullOf)
  expect(pulls.map((pull) => pull && `${pull.to}${pull.far ? '!' : ''}`)).toEqual([
    null,
    'approve',
    'approve',
    'approve!',
    'next',
    'next!',
  ])
  expect([shiftOf(100, true), shiftOf(100, false)]).toEqual([100, 20])
})
