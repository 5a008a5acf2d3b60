/** In a conflict nothing is overwritten that was not on screen. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { ProposalView } from '#contracts/proposal.contract.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { reviewQueue } from '../testing/procedures.ts'
import { failedInConflict, idOf, inConflict } from '../testing/proposals.ts'
import { ProposalsPage } from './proposals-page.tsx'
import { UndoTray } from './undo-tray.tsx'

const t = textsOf('proposals')
const WINNER = 'The line that won.\n'
const REASON = 'Ours is the newer text.'

async function open(proposal: ProposalView) {
  const queue = reviewQueue([proposal])
  const screen = await renderInConsole(<ProposalsPage />, {
    procedures: queue.procedures,
    at: `/proposals/${idOf(1)}${proposal.status === 'FAILED' ? '?tab=failed' : ''}`,
    tray: <UndoTray />,
  })
  await expect.element(screen.getByRole('heading', { name: proposal.summary })).toBeVisible()
  const forced = () => queue.asked.filter(({ command }) => command === 'force').map(({ input }) => input)
  return { ...screen, queue, forced, dialog: screen.getByRole('dialog') }
}

const diff = () => document.querySelector('[data-diff]')?.textContent ?? ''

describe('a conflict', () => {
  it('shows what the file says now, and any two of base, current and proposed by b', async () => {
    const screen = await open(inConflict(1, WINNER))
    await expect.poll(diff).toContain('The line that won.')
    expect(diff()).toContain('Line three of the note.')
    await expectAccessible()
    await userEvent.keyboard('b')
    await expect.element(screen.getByText(t('pairHint.proposed'))).toBeVisible()
    await expect.poll(diff).not.toContain('The line that won.')
    await userEvent.keyboard('b')
    await expect.element(screen.getByText(t('pairHint.meanwhile'))).toBeVisible()
    await expect.poll(diff).toContain('The line that won.')
    expect(diff()).not.toContain('Line three of the note.')
  })

  it('has every pair in view on a phone, in rows', async () => {
    await page.viewport(390, 844)
    onTestFinished(() => page.viewport(1280, 800))
    const screen = await open(inConflict(1, WINNER))
    const boxOf = (element: Element) => element.getBoundingClientRect()
    const box = boxOf(screen.getByRole('group', { name: t('compare') }).element())
    for (const pair of ['overwritten', 'proposed', 'meanwhile'] as const) {
      const choice = boxOf(screen.getByText(t(`pair.${pair}`), { exact: true }).element())
      expect([choice.left >= box.left, choice.right <= box.right, choice.bottom <= box.bottom]).toEqual([
        true,
        true,
        true,
      ])
    }
  })

  it('says why it failed in the words of the reader', async () => {
    const screen = await open(failedInConflict(1, WINNER))
    const reason = `${t('failedWith')}: ${t('applyErrors.conflict')}`
    await expect.element(screen.getByText(reason)).toBeVisible()
    await expect
      .element(screen.getByText('The target is no longer what was reviewed.'))
      .not.toBeInTheDocument()
  })

  it('is forced over exactly the text that the dialog shows', async () => {
    const failed = failedInConflict(1, WINNER)
    const screen = await open(failed)
    await userEvent.keyboard('F')
    await expect.element(screen.dialog.getByText('The line that won.')).toBeVisible()
    await screen.dialog.getByRole('textbox').fill(REASON)
    await expectAccessible()
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await expect.element(screen.getByRole('region', { name: t('undoTray') })).toBeVisible()
    expect(screen.forced()).toEqual([
      { proposal_id: idOf(1), over_hash: failed.freshness?.current_hash, reason: REASON },
    ])
  })

  it('is not forced over a text that came while the dialog was open, until that was shown', async () => {
    const screen = await open(failedInConflict(1, WINNER))
    await userEvent.keyboard('F')
    await screen.dialog.getByRole('textbox').fill(REASON)
    const later = failedInConflict(1, 'Another line won.\n')
    screen.queue.replace(later)
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await expect.element(screen.dialog.getByText(t('forceOutdated'))).toBeVisible()
    await expect.element(screen.dialog.getByText('The line that won.')).toBeVisible()
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    expect(screen.forced()).toEqual([])
    await screen.dialog.getByRole('button', { name: t('forceShowNew') }).click()
    await expect.element(screen.dialog.getByText('Another line won.')).toBeVisible()
    await screen.dialog.getByRole('button', { name: t('force') }).click()
    await expect
      .poll(screen.forced)
      .toEqual([{ proposal_id: idOf(1), over_hash: later.freshness?.current_hash, reason: REASON }])
    expect(screen.queue.refused, 'only what was sent before the change was known').toHaveLength(1)
  })

  it('is in the shortcut help and in the command menu', async () => {
    const screen = await open(failedInConflict(1, WINNER))
    await expect.element(screen.getByRole('button', { name: t('force') })).toBeVisible()
    await userEvent.keyboard('?')
    await expect.element(screen.dialog.getByText(t('force'))).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await expect.element(screen.dialog).not.toBeInTheDocument()
    await userEvent.keyboard('{Control>}k{/Control}')
    await expect.element(screen.getByRole('combobox')).toHaveFocus()
    await userEvent.keyboard(t('force'))
    await userEvent.keyboard('{Enter}')
    await expect.element(screen.getByRole('dialog', { name: t('forceTitle') })).toBeVisible()
  })
})
