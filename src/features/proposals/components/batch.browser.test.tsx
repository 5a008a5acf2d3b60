/** Several decided at once: selected by key, one sheet, what failed stays selected; a group of alike ones, outliers first. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { ProposalView } from '#contracts/proposal.contract.ts'
import type { AlikeGroups } from '#contracts/proposal-batch.contract.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { invalidateSitting } from '../hooks/use-sitting.ts'
import { aGroup } from '../testing/batch-procedures.ts'
import { reviewQueue } from '../testing/procedures.ts'
import { aProposal, idOf, inConflict } from '../testing/proposals.ts'
import { ProposalsPage } from './proposals-page.tsx'
import { UndoTray } from './undo-tray.tsx'

const t = textsOf('proposals')
const ui = textsOf('ui')
const many = (n: number) => Array.from({ length: n }, (_, i) => aProposal(i + 1))

async function open(proposals: readonly ProposalView[], alike?: AlikeGroups) {
  invalidateSitting()
  const queue = reviewQueue(proposals, { alike })
  const screen = await renderInConsole(<ProposalsPage />, {
    procedures: queue.procedures,
    at: '/proposals',
    tray: <UndoTray />,
  })
  await expect.element(screen.getByRole('row').last()).toBeVisible()
  const row = (n: number) => screen.getByRole('row').filter({ hasText: aProposal(n).summary })
  const box = (n: number) =>
    screen.getByRole('checkbox', { name: ui('selectRow', { name: aProposal(n).summary }) })
  const sent = () => queue.asked.filter(({ command }) => command === 'batch').map(({ input }) => input)
  return { ...screen, queue, row, box, sent, dialog: screen.getByRole('dialog') }
}

const digests = (...ns: number[]) => Object.fromEntries(ns.map((n) => [idOf(n), aProposal(n).review_digest]))

describe('a selection', () => {
  it('is made, approved and undone by keys alone, and leaves what is in conflict selected', async () => {
    const screen = await open([...many(3), inConflict(4, 'Other.\n')])
    await userEvent.keyboard('jxJJJ')
    await expect.element(screen.getByText(t('selected', { count: 4 }))).toBeVisible()
    await userEvent.keyboard('kk')
    await expect.element(screen.getByRole('heading', { name: aProposal(2).summary })).toBeVisible()
    await userEvent.keyboard('A')
    await expect.element(screen.dialog.getByText(/^3 commits in 3 files/)).toBeVisible()
    await expect.element(screen.dialog.getByText(t('exclusion.conflict'))).toBeVisible()
    await expectAccessible()
    await userEvent.keyboard('{Enter}')
    await expect.element(screen.getByText(t('batch.APPROVED.done', { count: 3 }))).toBeVisible()
    expect(screen.sent()).toEqual([
      { proposal_ids: [1, 2, 3].map(idOf), status: 'APPROVED', review_digests: digests(1, 2, 3) },
    ])
    await expect.element(screen.getByText(t('selected', { count: 1 }))).toBeVisible()
    await expect.element(screen.box(4)).toBeChecked()
    await expect.element(screen.row(1).getByText(/^Approved/)).toBeVisible()
    // What was under review is decided too.
    await expect.element(screen.getByRole('heading', { name: aProposal(4).summary })).toBeVisible()
    const tray = screen.getByRole('region', { name: t('undoTray') })
    await expect.element(tray.getByText(t('held', { count: 3 }))).toBeVisible()
    await userEvent.keyboard('U')
    await expect.element(tray).not.toBeInTheDocument()
  }, 30_000)

  it('names what is of high risk, and is approved once that was on screen for two seconds', async () => {
    const risk = { score: 70, level: 'high' as const, reasons: [] }
    const screen = await open([aProposal(1), aProposal(2, { risk })])
    for (const n of [1, 2]) await screen.box(n).click()
    await userEvent.keyboard('A')
    await expect.element(screen.dialog.getByText(t('batchRisk', { count: 1 }))).toBeVisible()
    expect(screen.dialog.getByText(aProposal(2).summary).elements()).toHaveLength(2)
    await expect.element(screen.dialog.getByRole('button', { name: /^Approve in \d s$/ })).toHaveFocus()
    await userEvent.keyboard('{Enter}')
    expect(screen.sent()).toEqual([])
    await expect.element(screen.dialog.getByRole('button', { name: t('approve'), exact: true })).toBeVisible()
    await userEvent.keyboard('{Enter}')
    await expect.element(screen.getByText(t('batch.APPROVED.done', { count: 2 }))).toBeVisible()
  })

  it('says what became of each where one could not be decided, and that one stays selected', async () => {
    const screen = await open(many(3))
    for (const n of [1, 2]) await screen.box(n).click()
    await userEvent.keyboard('A')
    await expect.element(screen.dialog.getByText(/^2 commits/)).toBeVisible()
    screen.queue.replace({ ...aProposal(2), review_digest: 'c'.repeat(64) })
    await userEvent.keyboard('{Enter}')
    const outcome = screen.getByRole('dialog', { name: t('batch.APPROVED.done', { count: 1 }) })
    await expect.element(outcome).toHaveAccessibleDescription(t('batchFailed', { count: 1 }))
    const items = outcome.getByRole('listitem')
    await expect.element(items.first()).toHaveTextContent(`${aProposal(2).summary}${t('changedSince')}`)
    await expect.element(items.last()).toHaveTextContent(`${aProposal(1).summary}${t('batch.APPROVED.each')}`)
    await expectAccessible()
    await userEvent.keyboard('{Enter}')
    await expect.element(outcome).not.toBeInTheDocument()
    await expect.element(screen.box(2)).toBeChecked()
    await expect.element(screen.box(2)).toHaveFocus()
    await expect.element(screen.getByText(t('selected', { count: 1 }))).toBeVisible()
  })

  it('is rejected with one note for all; without a network nothing is sent and the note is kept', async () => {
    const screen = await open(many(3))
    for (const n of [3, 1]) await screen.box(n).click()
    await userEvent.keyboard('R')
    await expect.element(screen.dialog.getByText(aProposal(3).summary)).toBeVisible()
    await userEvent.keyboard('4')
    await screen.dialog.getByRole('textbox').fill('Not what the source says.')
    screen.network.disconnect()
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await expect.element(screen.dialog.getByRole('alert')).toHaveTextContent(textsOf('errors')('OFFLINE'))
    expect(screen.sent()).toEqual([])
    screen.network.connect()
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await expect.element(screen.getByText(t('batch.REJECTED.done', { count: 2 }))).toBeVisible()
    await expect.element(screen.getByText('Done: 2 rejected')).toBeVisible()
    expect(screen.sent()).toEqual([
      {
        proposal_ids: [1, 3].map(idOf),
        status: 'REJECTED',
        decision_note: 'Not what the source says.',
        reason_code: 'style',
      },
    ])
    await expect.element(screen.getByRole('region', { name: t('selection') })).not.toBeInTheDocument()
  })
})

describe('alike proposals', () => {
  it('are counted, opened by a key, and approved once the outliers were opened', async () => {
    const screen = await open(many(4), aGroup(many(3), 1))
    await expect.element(screen.getByText('4 to review · 3 alike')).toBeVisible()
    const strip = screen.getByRole('navigation', { name: t('alike') })
    await expect.element(strip.getByRole('link', { name: 'librarian: 3 tag changes in Beds/' })).toBeVisible()
    await userEvent.keyboard('l')
    const approve = screen.getByRole('button', { name: t('approveGroup', { count: 3 }) })
    await expect.element(approve).toHaveAccessibleDescription(t('openOutliers', { count: 1 }))
    await expect.element(screen.getByText('Proposal number 2.')).toBeVisible()
    await expectAccessible()
    await userEvent.keyboard('a')
    expect(screen.sent()).toEqual([])
    await expect.element(screen.dialog).not.toBeInTheDocument()
    const outlier = screen.getByRole('group').filter({ hasText: t('outlier.deletes') })
    outlier.element().querySelector('summary')?.focus()
    await userEvent.keyboard('{Enter}')
    await expect.element(outlier.getByText(t('outlierOpened'))).toBeVisible()
    await userEvent.keyboard('a')
    await expect.element(screen.dialog.getByText(/^3 commits/)).toBeVisible()
    await userEvent.keyboard('{Enter}')
    await expect.element(screen.getByText(t('batch.APPROVED.done', { count: 3 }))).toBeVisible()
    expect(screen.sent()).toMatchObject([{ status: 'APPROVED', review_digests: digests(1, 2, 3) }])
    expect(window.location.pathname + window.location.search).toBe('/proposals')
  })

  it('stay inside a narrow page', async () => {
    await page.viewport(390, 844)
    onTestFinished(() => page.viewport(1280, 800))
    const long = aProposal(1, {
      summary: 'A summary that is much longer than a phone is wide, and says so twice',
    })
    const screen = await open([long, ...many(3).slice(1)], aGroup([long, ...many(3).slice(1)], 1))
    await screen.box(2).click()
    await expect.element(screen.getByText(t('selected', { count: 1 }))).toBeVisible()
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(window.innerWidth)
    await userEvent.keyboard('l')
    await expect.element(screen.getByRole('heading', { name: t('combined') })).toBeVisible()
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(window.innerWidth)
    await expectAccessible()
  })
})
