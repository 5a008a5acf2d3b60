/** A conflict is seen before anything is applied: what is pending may be approved over it, as the last of the ways out. */
import { describe, expect, it } from 'vitest'
import { userEvent } from 'vitest/browser'
import { z } from 'zod'
import type { ProposalView } from '#contracts/proposal.contract.ts'
import { meView } from '#contracts/session.contract.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { mutation, query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { reviewQueue } from '../testing/procedures.ts'
import { aProposal, idOf, inConflict } from '../testing/proposals.ts'
import { ProposalsPage } from './proposals-page.tsx'
import { UndoTray } from './undo-tray.tsx'

const t = textsOf('proposals')
const shell = textsOf('shell')
const WINNER = 'The line that won.\n'
const REASON = 'Ours is the newer text.'
const ME = { role: 'owner', identity: 'owner', name: 'Olena', stepped_up: false, has_password: true } as const

type Options = { role?: 'owner' | 'operator'; password?: string }

/** The first of two proposals; with a `password`, what overwrites a file asks for it once. */
async function open(proposal: ProposalView, { role = 'owner', password }: Options = {}) {
  let confirmed = password === undefined
  const queue = reviewQueue([proposal, aProposal(2)], { needsPassword: () => !confirmed })
  const sessions = router({
    me: query(meView, () => ({ ...ME, expires_at: null, zone: null, ended: null })),
    stepUp: mutation(z.object({ seconds: z.number() }), (input: { password: string }) => {
      confirmed = input.password === password
      return { seconds: 300 }
    }),
  })
  const screen = await renderInConsole(<ProposalsPage />, {
    procedures: { ...queue.procedures, sessions },
    at: `/proposals/${idOf(1)}`,
    role,
    tray: <UndoTray />,
  })
  const title = (n: number) => screen.getByRole('heading', { name: aProposal(n).summary })
  await expect.element(title(1)).toBeVisible()
  const decided = () => queue.asked.filter(({ command }) => command !== 'markSeen')
  const tray = screen.getByRole('region', { name: t('undoTray') })
  const dialog = screen.getByRole('dialog', { name: t('forceTitle') })
  return { ...screen, queue, title, decided, tray, dialog }
}

const approval = ({ review_digest, freshness }: ProposalView) => ({
  command: 'approve',
  input: {
    proposal_id: idOf(1),
    review_digest,
    force: { over_hash: freshness?.current_hash, reason: REASON },
  },
})
/** Of the open one; the next may be drawn behind it. */
const buttons = () => [
  ...document.querySelectorAll(`[data-review="${idOf(1)}"] [data-commands] > button.button`),
]
const named = (command: 'rebase' | 'reject' | 'force') =>
  buttons().findIndex((button) => button.textContent?.startsWith(t(command)))
const confirm = () => userEvent.keyboard('{Control>}{Enter}{/Control}')

describe('a pending proposal in conflict', () => {
  it('is resolved or rejected first; to overwrite the file is the last of its buttons', async () => {
    const screen = await open(inConflict(1, WINNER))
    await expect.element(screen.getByRole('button', { name: t('force') })).toBeVisible()
    await expect.element(screen.getByText(t('conflictHint'), { exact: false })).toBeVisible()
    expect([named('rebase'), named('reject')]).toEqual([0, 1])
    expect(named('force')).toBeGreaterThan(1)
    const primary = buttons().flatMap((button, n) => (button.classList.contains('button-primary') ? [n] : []))
    expect(primary).toEqual([named('rebase')])
    await expectAccessible()
  })

  it('is approved over exactly the text that the dialog shows, leads on, and once undone can be forced again', async () => {
    const pending = inConflict(1, WINNER)
    const screen = await open(pending)
    const forced = async () => {
      await userEvent.keyboard('F')
      await expect.element(screen.dialog.getByText('The line that won.')).toBeVisible()
      await screen.dialog.getByRole('textbox').fill(REASON)
      await confirm()
      await expect.element(screen.title(2)).toBeVisible()
      await expect.element(screen.tray).toBeVisible()
    }
    await forced()
    const path = aProposal(1).target.path
    await expect.element(screen.getByText(t('forced', { path, seconds: 30 }))).toBeVisible()
    await userEvent.keyboard('u')
    await expect.element(screen.title(1)).toBeVisible()
    await expect.element(screen.tray).not.toBeInTheDocument()
    await expect.element(screen.getByRole('button', { name: t('force') })).toBeVisible()
    await forced()
    const undo = { command: 'undo', input: { proposal_id: idOf(1) } }
    expect(screen.decided()).toEqual([approval(pending), undo, approval(pending)])
  })

  it('is not forced over a text that came while the dialog was open, until that was shown', async () => {
    const screen = await open(inConflict(1, WINNER))
    await userEvent.keyboard('F')
    await screen.dialog.getByRole('textbox').fill(REASON)
    const later = inConflict(1, 'Another line won.\n')
    screen.queue.replace(later)
    await confirm()
    await expect.element(screen.dialog.getByText(t('forceOutdated'))).toBeVisible()
    await confirm()
    expect(screen.decided()).toEqual([])
    await screen.dialog.getByRole('button', { name: t('forceShowNew') }).click()
    await expect.element(screen.dialog.getByText('Another line won.')).toBeVisible()
    await screen.dialog.getByRole('button', { name: t('force') }).click()
    await expect.poll(screen.decided).toEqual([approval(later)])
    expect(screen.queue.refused, 'only what was sent before the change was known').toHaveLength(1)
  })

  it('is not forced once nothing stands against it any more', async () => {
    const screen = await open(inConflict(1, WINNER))
    await userEvent.keyboard('F')
    await screen.dialog.getByRole('textbox').fill(REASON)
    screen.queue.replace(aProposal(1))
    await confirm()
    await expect.element(screen.dialog.getByText(t('forceOutdated'))).toBeVisible()
    await screen.dialog.getByRole('button', { name: t('forceShowNew') }).click()
    await expect.element(screen.dialog.getByText(t('resolveGone'))).toBeVisible()
    await confirm()
    expect(screen.decided()).toEqual([])
    expect(screen.queue.refused, 'only what was sent before that was known').toHaveLength(1)
  })

  it('asks for the password first and goes on with what was written', async () => {
    const pending = inConflict(1, WINNER)
    const screen = await open(pending, { password: 'a long enough password' })
    await userEvent.keyboard('F')
    await screen.dialog.getByRole('textbox').fill(REASON)
    await confirm()
    const asking = screen.getByRole('dialog', { name: shell('stepUp') })
    await expect.element(asking).toBeVisible()
    expect(screen.decided()).toEqual([])
    await asking.getByLabelText(shell('password')).fill('a long enough password')
    await userEvent.keyboard('{Enter}')
    await expect.element(screen.title(2)).toBeVisible()
    expect(screen.decided()).toEqual([approval(pending)])
  })

  it('is not for an operator to overwrite', async () => {
    const screen = await open(inConflict(1, WINNER, { commands: [] }), { role: 'operator' })
    const button = screen.getByRole('button', { name: t('force') })
    await expect.element(button).toHaveAttribute('aria-disabled', 'true')
    await userEvent.keyboard('F')
    await expect.element(screen.dialog).not.toBeInTheDocument()
  })

  it('waits for its agent first, where changes were requested', async () => {
    const asked = { awaiting_changes_since: '2026-03-02T10:00:00.000Z', commands: ['reject' as const] }
    const screen = await open(inConflict(1, WINNER, asked))
    await expect.element(screen.getByRole('button', { name: t('reject') })).toBeVisible()
    expect([named('reject'), named('force')]).toEqual([0, -1])
  })
})
