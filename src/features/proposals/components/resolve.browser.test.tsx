/** The three-way view of a conflict: no overlap is taken for decided, and what is sent is what was decided. */
import { expect, it, onTestFinished } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { ConflictView } from '#contracts/proposal-conflict.contract.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { merging, noConflict, overlapping } from '../testing/conflicts.ts'
import { CHILD, reviewQueue } from '../testing/procedures.ts'
import { aProposal, idOf, inConflict } from '../testing/proposals.ts'
import { ProposalsPage } from './proposals-page.tsx'

const t = textsOf('proposals')
const kept = () => Object.keys(window.sessionStorage).filter((key) => key.includes('resolve:'))
const WORDS = ['roof', 'wall', 'gate']

async function open(first: ConflictView, proposal = inConflict(1, 'Now.\n')) {
  const shown = { conflict: first }
  const queue = reviewQueue([proposal], { conflictOf: () => shown.conflict })
  const screen = await renderInConsole(<ProposalsPage />, {
    procedures: queue.procedures,
    at: `/proposals/${idOf(1)}`,
  })
  await expect.element(screen.getByRole('heading', { name: proposal.summary })).toBeVisible()
  const asked = () => queue.asked.filter(({ command }) => command === 'rebase').map(({ input }) => input)
  const progress = (decided: number, total: number) =>
    expect.element(screen.getByText(t('resolveProgress', { decided, total }))).toBeVisible()
  return { ...screen, queue, shown, asked, progress }
}

it('decides every overlap by keys and leads on to the rebased proposal', async () => {
  const screen = await open(overlapping(1, WORDS))
  await userEvent.keyboard('m')
  await screen.progress(0, 3)
  await userEvent.keyboard('{Control>}{Enter}{/Control}')
  await expect.element(screen.getByText(t('rebaseUndecided'))).toBeVisible()
  await userEvent.keyboard('1')
  await screen.progress(1, 3)
  await userEvent.keyboard('n3')
  await screen.progress(2, 3)
  // On to the one that was passed over.
  await userEvent.keyboard('e')
  await expect.element(screen.getByRole('textbox', { name: t('ownText') })).toHaveFocus()
  await userEvent.keyboard('{Control>}a{/Control}1 of my own')
  await screen.progress(3, 3)
  // Out of the text, out of the view: what was decided and written is still there.
  await userEvent.keyboard('{Escape}{Escape}')
  await expect.element(screen.getByRole('button', { name: t('rebaseAndReview') })).not.toBeInTheDocument()
  expect(kept()).toHaveLength(1)
  await userEvent.keyboard('m')
  await screen.progress(3, 3)
  expect(screen.asked()).toEqual([])
  await expectAccessible()
  await userEvent.keyboard('{Control>}{Enter}{/Control}')
  await expect.element(screen.getByRole('heading', { name: 'The rebased one' })).toBeVisible()
  expect(window.location.pathname).toBe(`/proposals/${idOf(CHILD)}`)
  const decisions = [{ take: 'current' }, { take: 'text', text: '1 of my own' }, { take: 'both' }]
  expect(screen.asked()).toEqual([
    { proposal_id: idOf(1), current_hash: 'd'.repeat(64), files: [{ path: 'notes/note.md', decisions }] },
  ])
  expect(kept()).toEqual([])
})

it('keeps a decision with the overlap it was made about when the file changes meanwhile', async () => {
  const screen = await open(overlapping(1, ['roof', 'wall']))
  await userEvent.keyboard('m')
  await screen.progress(0, 2)
  await userEvent.keyboard('12')
  await screen.progress(2, 2)
  // The keys belonged to the second one; now there is one.
  screen.shown.conflict = overlapping(1, ['attic'], 'e')
  await userEvent.keyboard('{Control>}{Enter}{/Control}')
  await screen.progress(0, 1)
  await userEvent.keyboard('1')
  await screen.progress(1, 1)
  screen.shown.conflict = overlapping(1, ['cellar', 'wall'], 'f')
  await userEvent.keyboard('{Control>}{Enter}{/Control}')
  await screen.progress(1, 2)
  expect(screen.asked()).toEqual([])
  await userEvent.keyboard('p2')
  await screen.progress(2, 2)
  await userEvent.keyboard('{Control>}{Enter}{/Control}')
  await expect
    .poll(screen.asked)
    .toMatchObject([
      { current_hash: 'f'.repeat(64), files: [{ decisions: [{ take: 'proposed' }, { take: 'proposed' }] }] },
    ])
})

it('says that a merge is clean and shows what it leads to', async () => {
  const screen = await open(merging(1))
  await userEvent.keyboard('m')
  await screen.progress(0, 0)
  await expect.element(screen.getByText(t('mergedClean'))).toBeVisible()
  await userEvent.keyboard('{Control>}{Enter}{/Control}')
  await expect
    .poll(screen.asked)
    .toMatchObject([{ current_hash: 'e'.repeat(64), files: [{ decisions: [] }] }])
})

it('turns over the whole versions by b, on a phone too, and goes back by Escape', async () => {
  await page.viewport(390, 844)
  onTestFinished(() => page.viewport(1280, 800))
  const screen = await open(overlapping(1, WORDS))
  await userEvent.keyboard('m')
  const overlap = screen.getByRole('group', { name: t('overlap', { n: 1, total: 3 }) })
  await expect.element(overlap).toBeVisible()
  const seen: string[] = []
  for (const side of ['was', 'is', 'proposed']) {
    await userEvent.keyboard('b')
    await expect
      .element(screen.getByText(new RegExp(`The gate as ${side === 'proposed' ? side : `it ${side}`}`)))
      .toBeVisible()
    seen.push(side)
  }
  await userEvent.keyboard('b')
  await expect.element(overlap).toBeVisible()
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390)
  await expectAccessible()
  await userEvent.keyboard('{Escape}')
  await expect.element(screen.getByRole('button', { name: t('rebaseAndReview') })).not.toBeInTheDocument()
  expect(window.location.pathname, 'the proposal is still open').toBe(`/proposals/${idOf(1)}`)
})

it('says beforehand with which approved proposal it will be in conflict', async () => {
  const held = aProposal(2, {
    status: 'APPROVED',
    commands: ['undo'],
    target: { type: 'note', path: 'notes/note-1.md' },
    apply_not_before: new Date(Date.now() + 60_000).toISOString(),
  })
  const by = { proposal_id: idOf(2), summary: 'The one before', apply_not_before: null }
  const queue = reviewQueue([aProposal(1), held], {
    conflictOf: (id) => ({ ...noConflict(id), predicted: { ...by, clean: false, overlaps: 2 } }),
  })
  const screen = await renderInConsole(<ProposalsPage />, {
    procedures: queue.procedures,
    at: `/proposals/${idOf(1)}`,
  })
  await expect.element(screen.getByText(t('predicted', { summary: 'The one before' }))).toBeVisible()
  await expect.element(screen.getByRole('link', { name: t('predictedOpen') })).toBeVisible()
})

it('notices that the file was edited while it was open', async () => {
  const queue = reviewQueue([aProposal(1)])
  const screen = await renderInConsole(<ProposalsPage />, {
    procedures: queue.procedures,
    at: `/proposals/${idOf(1)}`,
  })
  await expect.element(screen.getByRole('button', { name: t('approve') })).toBeVisible()
  await expect.element(screen.getByText(t('fileChanged'))).not.toBeInTheDocument()
  queue.replace(inConflict(1, 'Edited by hand.\n'))
  const resource = { type: 'component', id: 'git_garden' }
  screen.network.publish({ id: '1', topic: 'health.changed', resource })
  await expect.element(screen.getByText(t('fileChanged'))).toBeVisible()
  await expect.element(screen.getByRole('button', { name: t('rebase') })).toBeVisible()
})
