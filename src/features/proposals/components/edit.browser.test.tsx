import { createTwoFilesPatch } from 'diff'
import { describe, expect, it, onTestFinished } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { ProposalView } from '#contracts/proposal.contract.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { reviewQueue } from '../testing/procedures.ts'
import { aProposal, idOf } from '../testing/proposals.ts'
import { ProposalsPage } from './proposals-page.tsx'
import { UndoTray } from './undo-tray.tsx'

const t = textsOf('proposals')
const ui = textsOf('ui')
const LINES = Array.from({ length: 40 }, (_, i) => `Line ${i + 1}.`)
const textOf = (changed: Record<number, string>) =>
  LINES.map((line, i) => `${changed[i + 1] ?? line}\n`).join('')
const BASE = textOf({})
const PROPOSED = textOf({ 3: 'Third.', 20: 'Twentieth.', 38: 'Last but two.' })
const PATH = 'notes/three.md'

/** One file changed in three places. */
function threeHunks(n: number, more: Partial<ProposalView> = {}): ProposalView {
  const { changes } = aProposal(n)
  const unified = createTwoFilesPatch(`a/${PATH}`, `b/${PATH}`, BASE, PROPOSED, undefined, undefined, {
    context: 3,
  })
  const texts = { base_text: BASE, current_text: BASE, proposed_text: PROPOSED }
  return aProposal(n, {
    commands: ['approve', 'reject', 'edit'],
    changes: changes.map((change) => ({ ...change, path: PATH, ...texts, unified })),
    ...more,
  })
}

async function open(more: Partial<ProposalView> = {}) {
  const queue = reviewQueue([threeHunks(1, more), aProposal(2)])
  const render = () =>
    renderInConsole(<ProposalsPage />, {
      procedures: queue.procedures,
      at: `/proposals/${idOf(1)}`,
      tray: <UndoTray />,
    })
  const screen = await render()
  await expect.element(screen.getByRole('region', { name: PATH })).toBeVisible()
  const decisions = () => queue.asked.filter(({ command }) => command !== 'markSeen')
  const hunk = (n: number) => screen.getByRole('checkbox', { name: new RegExp(ui('hunk', { n, total: 3 })) })
  const bar = screen.getByRole('region', { name: t('approveEdited') })
  const editor = screen.getByRole('textbox', { name: new RegExp(PATH) })
  return { ...screen, queue, decisions, hunk, bar, editor }
}

const leaveField = () => (document.activeElement as HTMLElement).blur()

/** Goes to the line in the editor that says this, and writes at its end. */
async function writeAfter(line: string, text: string) {
  const at = page.getByText(line, { exact: true }).element()
  const range = document.createRange()
  range.selectNodeContents(at)
  range.collapse(false)
  const selection = window.getSelection()
  selection?.removeAllRanges()
  selection?.addRange(range)
  await userEvent.keyboard(text)
}

describe('approval in part', () => {
  it('leaves out the marked hunk by h, says so, and approves exactly the rest by a', async () => {
    const screen = await open()
    await userEvent.keyboard('nnnh')
    await expect.element(screen.hunk(3)).not.toBeChecked()
    await expect.element(screen.hunk(1)).toBeChecked()
    await expect
      .element(screen.bar.getByRole('status'))
      .toHaveTextContent(t('editSummary', { taken: 2, total: 3, lines: 0 }))
    await expectAccessible()
    await screen.bar.getByRole('combobox', { name: t('reasonCode') }).selectOptions('wrong_fact')
    await screen.bar.getByRole('textbox').fill('short')
    await expect
      .element(screen.bar.getByRole('button', { name: t('approveEdited') }))
      .toHaveAttribute('aria-disabled', 'true')
    await screen.bar.getByRole('textbox').fill('Not what the source says.')
    leaveField()
    await userEvent.keyboard('o')
    const source = () => document.querySelector('[data-diff] pre')?.textContent
    await expect.poll(source).toBe(textOf({ 3: 'Third.', 20: 'Twentieth.' }))
    await userEvent.keyboard('o')
    await userEvent.keyboard('a')
    await expect.element(screen.getByRole('heading', { name: aProposal(2).summary })).toBeVisible()
    expect(screen.decisions()).toEqual([
      {
        command: 'edit',
        input: {
          proposal_id: idOf(1),
          review_digest: threeHunks(1).review_digest,
          changes: [{ path: PATH, hunks: [1, 2] }],
          remainder: 'reject',
          decision_note: 'Not what the source says.',
          reason_code: 'wrong_fact',
        },
      },
    ])
    const tray = screen.getByRole('region', { name: t('undoTray') })
    await expect.element(tray.getByText(aProposal(1).summary)).toBeVisible()
  })

  it('of high risk is looked at as long as the whole', async () => {
    const reasons = [{ code: 'removes_file' as const, points: 70, count: 2 }]
    const screen = await open({ risk: { score: 70, level: 'high', reasons } })
    await userEvent.keyboard('ha')
    await expect
      .element(screen.bar.getByRole('button', { name: t('approveEdited') }))
      .toHaveAccessibleDescription(/^High risk/)
    expect(screen.decisions()).toEqual([])
  })

  it('cannot approve nothing, and starts over by its button', async () => {
    const screen = await open()
    await userEvent.keyboard('hnhnh')
    await expect
      .element(screen.bar.getByRole('button', { name: t('approveEdited') }))
      .toHaveAccessibleDescription(t('editNothing'))
    await userEvent.keyboard('a')
    await screen.bar.getByRole('button', { name: t('startOver') }).click()
    await expect.element(screen.bar).not.toBeInTheDocument()
    await userEvent.keyboard('a')
    await expect.element(screen.getByRole('heading', { name: aProposal(2).summary })).toBeVisible()
    await expect.poll(() => screen.decisions().map(({ command }) => command)).toEqual(['approve'])
  })
})

describe('the result of a file', () => {
  it('takes no key for a command from when it is asked for', async () => {
    const screen = await open()
    await userEvent.keyboard('e')
    await userEvent.keyboard('ar')
    await expect.element(screen.editor).toBeVisible()
    leaveField()
    await userEvent.keyboard('ar')
    await expect.element(screen.getByRole('dialog')).not.toBeInTheDocument()
    expect(screen.decisions()).toEqual([])
    await userEvent.keyboard('j')
    await expect.element(screen.editor).toHaveFocus()
  })

  it('stays in its editor when the file changes under it, and nothing is approved before starting over', async () => {
    const screen = await open()
    await userEvent.keyboard('e')
    await expect.element(screen.editor).toBeVisible()
    await writeAfter('Twentieth.', ' Mended.')
    await expect.element(screen.bar).toBeVisible()
    const { freshness, changes } = threeHunks(1)
    screen.queue.replace(
      threeHunks(1, {
        freshness: freshness && { ...freshness, state: 'changed' },
        changes: changes.map((change) => ({ ...change, state: 'changed', current_hash: 'c'.repeat(64) })),
      }),
    )
    screen.network.publish({
      id: '1',
      topic: 'proposal.status.changed',
      resource: { type: 'proposal', id: idOf(2) },
    })
    await expect.element(screen.bar.getByRole('status')).toHaveTextContent(t('editLost'))
    await userEvent.keyboard(' Again.')
    await expect.element(screen.editor).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await expect.element(screen.getByRole('button', { name: t('editCopy') })).toBeVisible()
    const mine = () => document.querySelector('[data-review] pre')?.textContent?.split('\n')
    await expect.poll(mine).toContain('Twentieth. Mended. Again.')
    await expectAccessible()
    await userEvent.keyboard('a')
    await expect
      .element(screen.getByRole('button', { name: t('approve'), exact: true }))
      .not.toBeInTheDocument()
    expect(screen.decisions()).toEqual([])
    await screen.bar.getByRole('button', { name: t('startOver') }).click()
    await expect.element(screen.bar).not.toBeInTheDocument()
    await expect.element(screen.getByRole('button', { name: /^Approve/ })).toBeVisible()
  })

  it('is edited in place by e, left by Esc, kept over a reload, and approved as it stands', async () => {
    const screen = await open()
    await userEvent.keyboard('nnnh')
    await userEvent.keyboard('e')
    await expect.element(screen.editor).toBeVisible()
    await expectAccessible()
    await writeAfter('Twentieth.', ' Mended.')
    await userEvent.keyboard('{Escape}')
    await expect.element(screen.editor).not.toBeInTheDocument()
    await expect.element(screen.getByText('Twentieth. Mended.')).toBeVisible()
    const summary = t('editSummary', { taken: 2, total: 3, lines: 1 })
    await expect.element(screen.bar.getByRole('status')).toHaveTextContent(summary)

    const kept = { ...sessionStorage }
    await screen.unmount()
    for (const [key, value] of Object.entries(kept)) sessionStorage.setItem(key, value)
    const again = await renderInConsole(<ProposalsPage />, {
      procedures: screen.queue.procedures,
      at: `/proposals/${idOf(1)}`,
    })
    await expect.element(again.getByText('Twentieth. Mended.')).toBeVisible()
    await userEvent.keyboard('a')
    await expect.element(again.getByRole('heading', { name: aProposal(2).summary })).toBeVisible()
    const text = textOf({ 3: 'Third.', 20: 'Twentieth. Mended.' })
    expect(screen.decisions()).toMatchObject([
      { command: 'edit', input: { changes: [{ path: PATH, hunks: [1, 2], text }] } },
    ])
    expect(Object.keys(sessionStorage).filter((key) => key.includes(':edit:'))).toEqual([])
  }, 30_000)

  it('is not wider than a phone', async () => {
    await page.viewport(390, 844)
    onTestFinished(() => page.viewport(1280, 800))
    const screen = await open()
    await userEvent.keyboard('h')
    await expect.element(screen.bar).toBeVisible()
    await userEvent.keyboard('e')
    await expect.element(screen.editor).toBeVisible()
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(window.innerWidth)
  })
})
