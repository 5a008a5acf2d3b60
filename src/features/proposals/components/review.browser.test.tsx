import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { userEvent } from 'vitest/browser'
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
const NOTE = 'Not what the source says.'
const OTHER_DIGEST = 'f'.repeat(64)

async function open(proposals: readonly ProposalView[] = [aProposal(1), aProposal(2)], at = idOf(1)) {
  const queue = reviewQueue(proposals)
  const screen = await renderInConsole(<ProposalsPage />, {
    procedures: queue.procedures,
    at: `/proposals/${at}`,
    tray: <UndoTray />,
  })
  const title = (n: number) => screen.getByRole('heading', { name: aProposal(n).summary })
  await expect.element(title(proposals.findIndex((p) => p.proposal_id === at) + 1)).toBeVisible()
  await expect.element(screen.getByRole('region', { name: /notes\/note-/ }).first()).toBeVisible()
  const decisions = () => queue.asked.filter(({ command }) => command !== 'markSeen')
  return { ...screen, queue, title, decisions }
}

type Screen = Awaited<ReturnType<typeof open>>
const tray = (screen: Screen) => screen.getByRole('region', { name: t('undoTray') })

/** What is pressed comes in the same instant, however busy the machine is. */
function stopClock() {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
}

describe('a proposal under review', () => {
  it('shows its change, its reasons and its sources without an accessibility fault', async () => {
    const screen = await open()
    // The next proposal may be drawn behind this one.
    await expect.element(screen.getByText('three').first()).toBeVisible()
    await expect.element(screen.getByText(aProposal(1).reasoning)).toBeVisible()
    await expectAccessible()
  })

  it.each([
    ['local', null, 'remoteLocal'],
    ['pushed', '2026-03-02T09:00:00.000Z', 'remotePushed'],
  ] as const)(
    'says whether its commit has come to the remote: %s',
    async (remote, remote_pushed_at, text) => {
      const { apply_result } = aProposal(1)
      const row = { ...aProposal(1), apply_result: { ...apply_result, remote, remote_pushed_at } }
      const screen = await open([row, aProposal(2)])
      const fact = screen.getByRole('term').filter({ hasText: t('remote') })
      await expect.element(fact).toBeVisible()
      expect(fact.element().nextElementSibling?.textContent).toContain(t(text))
      expect(fact.element().nextElementSibling?.querySelector('time') !== null).toBe(
        remote_pushed_at !== null,
      )
    },
  )

  it.each(['APPLIED', 'REJECTED'] as const)(
    'of one that is %s is what was decided on, whatever the file says now',
    async (status) => {
      const { changes } = aProposal(1)
      const now = changes.map((change) => ({ ...change, current_text: change.proposed_text }))
      const screen = await open([aProposal(1, { status, freshness: null, changes: now }), aProposal(2)])
      await expect.element(screen.getByText('twenty-five')).toBeVisible()
      expect(document.body.textContent).not.toContain(ui('noChanges'))
    },
  )

  it('asks before the commands of its menu', async () => {
    const screen = await open([aProposal(1, { commands: ['approve', 'extend', 'discard'] }), aProposal(2)])
    const dialog = screen.getByRole('dialog')
    for (const [command, title] of [
      ['extend', 'extendTitle'],
      ['discard', 'discardTitle'],
    ] as const) {
      await screen.getByRole('button', { name: t('actions') }).click()
      await screen.getByRole('menuitem', { name: t(command) }).click()
      await expect.element(dialog.getByRole('heading', { name: t(title) })).toBeVisible()
      await userEvent.keyboard('{Escape}')
      await expect.element(dialog).not.toBeInTheDocument()
    }
  })

  it('goes from change to change by n and p', async () => {
    const screen = await open()
    const hunk = (n: number) => screen.getByRole('group', { name: ui('hunk', { n, total: 2 }) })
    const isMarked = (n: number) => getComputedStyle(hunk(n).element()).boxShadow !== 'none'
    await userEvent.keyboard('nn')
    await expect.poll(() => [isMarked(1), isMarked(2)]).toEqual([false, true])
    await userEvent.keyboard('p')
    await expect.poll(() => [isMarked(1), isMarked(2)]).toEqual([true, false])
    expect(document.title).toContain(aProposal(1).summary)
    // The framework's own comes late.
    document.title = t('proposal')
    await expect.poll(() => document.title).toContain(aProposal(1).summary)
  })

  it('goes by ] and [ from file to file, and by n through the one that is marked', async () => {
    const { changes } = aProposal(1)
    const two = [...changes, ...changes.map((change) => ({ ...change, path: 'notes/note-second.md' }))]
    const screen = await open([aProposal(1, { changes: two }), aProposal(2)])
    const marked = () =>
      [...document.querySelectorAll(`[data-review="${idOf(1)}"] [data-diff]`)].map(
        (file) =>
          [...file.querySelectorAll('[data-hunk]')].filter(
            (hunk) => getComputedStyle(hunk).boxShadow !== 'none',
          ).length,
      )
    await userEvent.keyboard('n')
    await expect.poll(marked).toEqual([1, 0])
    await userEvent.keyboard(']n')
    await expect.poll(marked).toEqual([1, 1])
    const files = screen.getByRole('navigation', { name: t('fileList') })
    await expect
      .element(files.getByRole('button', { name: 'notes/note-second.md' }))
      .toHaveAttribute('aria-current', 'true')
    await userEvent.keyboard('[[')
    await expect.element(files.getByRole('button').first()).toHaveAttribute('aria-current', 'true')
    await expect.element(screen.title(1)).toBeVisible()
    await expectAccessible()
  })

  it('is rejected with the reason whose number is pressed before the note', async () => {
    const screen = await open()
    await userEvent.keyboard('r')
    await userEvent.keyboard('3')
    await userEvent.keyboard('There are 2 of these already.')
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await expect.element(screen.title(2)).toBeVisible()
    const input = {
      proposal_id: idOf(1),
      decision_note: 'There are 2 of these already.',
      reason_code: 'duplicate',
    }
    expect(screen.decisions()).toEqual([{ command: 'reject', input }])
  })

  it('is approved by a as it was seen, and leads on to the next, where a second press is nobody’s', async () => {
    const screen = await open()
    stopClock()
    await userEvent.keyboard('a')
    await expect.element(screen.title(2)).toBeVisible()
    // It was answered by then.
    await expect.element(tray(screen)).toBeVisible()
    await userEvent.keyboard('a')
    // A key that is answered after it: by then the decision would have been sent.
    await userEvent.keyboard('?')
    const shortcuts = screen.getByRole('dialog', { name: textsOf('shell')('shortcuts') })
    await expect.element(shortcuts).toBeVisible()
    const { proposal_id, review_digest } = aProposal(1)
    await expect
      .poll(screen.decisions)
      .toEqual([{ command: 'approve', input: { proposal_id, review_digest } }])
  })

  it('leads on before the answer, and a second press there is nobody’s; what is refused comes back', async () => {
    const screen = await open()
    stopClock()
    const answer = screen.queue.holdAnswers()
    await userEvent.keyboard('a')
    await expect.element(screen.title(2)).toBeVisible()
    await userEvent.keyboard('a')
    screen.queue.replace(aProposal(1, { review_digest: OTHER_DIGEST }))
    answer()
    await expect.element(screen.getByRole('alert').getByText(textsOf('errors')('STALE_REVIEW'))).toBeVisible()
    await expect.element(screen.title(1)).toBeVisible()
    expect(screen.decisions()).toEqual([])
  })

  it('leaves a way to what was refused where the reader has gone on', async () => {
    const screen = await open([aProposal(1), aProposal(2), aProposal(3)])
    const answer = screen.queue.holdAnswers()
    await userEvent.keyboard('a')
    await expect.element(screen.title(2)).toBeVisible()
    await userEvent.keyboard('j')
    await expect.element(screen.title(3)).toBeVisible()
    screen.queue.replace(aProposal(1, { review_digest: OTHER_DIGEST }))
    answer()
    const alert = screen.getByRole('alert')
    await expect
      .element(alert.getByRole('link', { name: t('openRefused') }))
      .toHaveAttribute('href', `/proposals/${idOf(1)}`)
    await expect.element(screen.title(3)).toBeVisible()
  })

  it('does not come back over a reason that is being written', async () => {
    const screen = await open()
    const answer = screen.queue.holdAnswers()
    await userEvent.keyboard('a')
    await expect.element(screen.title(2)).toBeVisible()
    await userEvent.keyboard('r')
    const reason = screen.getByRole('dialog').getByRole('textbox')
    await reason.fill(NOTE)
    screen.queue.replace(aProposal(1, { review_digest: OTHER_DIGEST }))
    answer()
    const refused = screen.getByText(textsOf('errors')('STALE_REVIEW'))
    await expect.element(refused).toBeInTheDocument()
    expect(window.location.pathname).toBe(`/proposals/${idOf(2)}`)
    await expect.element(reason).toHaveValue(NOTE)
  })

  it('can be taken back by u while it is held, and is open again', async () => {
    const screen = await open()
    await userEvent.keyboard('a')
    await expect.element(screen.title(2)).toBeVisible()
    await expect.element(tray(screen)).toBeVisible()
    await expectAccessible()
    await userEvent.keyboard('u')
    await expect.element(screen.getByText(t('undone', { count: 1 }))).toBeVisible()
    await expect.element(tray(screen)).not.toBeInTheDocument()
    expect(screen.decisions().at(-1)).toEqual({ command: 'undo', input: { proposal_id: idOf(1) } })
    await expect.element(screen.title(1)).toBeVisible()
  })

  it('can be undone here too when it was approved in another tab', async () => {
    const screen = await open()
    const [decided_at, apply_not_before] = [0, 30_000].map((ms) => new Date(Date.now() + ms).toISOString())
    const status = 'APPROVED'
    screen.queue.replace(aProposal(1, { status, commands: ['undo'], decided_at, apply_not_before }))
    screen.network.publish({
      id: '1',
      topic: 'proposal.status.changed',
      resource: { type: 'proposal', id: idOf(1) },
      from: 'PENDING',
      to: status,
    })
    await expect.element(tray(screen).getByText(aProposal(1).summary)).toBeVisible()
    expect(screen.decisions()).toEqual([])
  })

  it('is not approved when it changed after it was opened; the new content is read and can be approved', async () => {
    const screen = await open()
    screen.queue.replace(aProposal(1, { review_digest: OTHER_DIGEST, reasoning: 'A second thought.' }))
    await userEvent.keyboard('a')
    await expect.element(screen.getByRole('alert').getByText(textsOf('errors')('STALE_REVIEW'))).toBeVisible()
    await expect.element(screen.title(1)).toBeVisible()
    expect(screen.decisions()).toEqual([])
    await expect.element(screen.getByText('A second thought.')).toBeVisible()
    await userEvent.keyboard('a')
    await expect.element(screen.title(2)).toBeVisible()
  })

  it('is rejected by r with a reason, once, and the reason is kept when the dialog was too quick', async () => {
    const screen = await open()
    await userEvent.keyboard('r')
    const confirm = screen.getByRole('dialog').getByRole('button', { name: t('reject') })
    await expect.element(confirm).toHaveAttribute('aria-disabled', 'true')
    await userEvent.keyboard('too short')
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    expect(screen.decisions()).toEqual([])
    await screen.getByRole('textbox').fill(NOTE)
    await expect.element(confirm).not.toHaveAttribute('aria-disabled')
    await expectAccessible()
    // Pressed twice, before the first was answered.
    await userEvent.keyboard('{Control>}{Enter}{Enter}{/Control}')
    await expect.element(screen.title(2)).toBeVisible()
    expect(screen.decisions()).toEqual([
      { command: 'reject', input: { proposal_id: idOf(1), decision_note: NOTE } },
    ])
  })

  it('offers nothing that is not allowed now', async () => {
    const screen = await open([aProposal(1, { status: 'APPLIED', commands: [] }), aProposal(2)])
    await expect.element(screen.getByRole('button', { name: t('approve') })).not.toBeInTheDocument()
    await userEvent.keyboard('a')
    expect(screen.decisions()).toEqual([])
  })
})
