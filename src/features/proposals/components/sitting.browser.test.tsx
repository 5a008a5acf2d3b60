/** Working through what waits: the order stays, the position and the tally are told, what is put off comes back. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { userEvent } from 'vitest/browser'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { rereadSitting } from '../hooks/use-sitting.ts'
import { reviewQueue } from '../testing/procedures.ts'
import { aProposal, idOf } from '../testing/proposals.ts'
import { FailureToasts } from './failure-toasts.tsx'
import { ProposalsPage } from './proposals-page.tsx'

const t = textsOf('proposals')
const ui = textsOf('ui')
const many = (n: number) => Array.from({ length: n }, (_, i) => aProposal(i + 1))

async function open(proposals = many(3), at = '/proposals') {
  const queue = reviewQueue(proposals)
  const page = (
    <>
      <ProposalsPage />
      <FailureToasts />
    </>
  )
  const screen = await renderInConsole(page, { procedures: queue.procedures, at })
  onTestFinished(() => {
    window.sessionStorage.clear()
    rereadSitting()
  })
  await expect.element(screen.getByRole('row').last()).toBeVisible()
  const row = (n: number) => screen.getByRole('row').filter({ hasText: aProposal(n).summary })
  const title = (n: number) => screen.getByRole('heading', { name: aProposal(n).summary })
  const publish = (topic: string, n: number, more = {}) =>
    screen.network.publish({
      id: `${Math.random()}`,
      topic,
      resource: { type: 'proposal', id: idOf(n) },
      ...more,
    })
  return { ...screen, queue, row, title, publish }
}

const position = () => document.querySelector('[data-position]')?.textContent
const sitting = () => document.querySelector('[data-sitting]')?.textContent ?? ''

describe('the order', () => {
  it('stays while one works: new ones wait for the dot, what was decided elsewhere is skipped', async () => {
    const screen = await open(many(4))
    await userEvent.keyboard('j')
    await expect.element(screen.title(1)).toBeVisible()
    await expect.poll(position).toBe('1 of 4 · 4 left')
    // One that comes before all others, and one that somebody else decided.
    screen.queue.replaceAll([aProposal(9), ...many(4)])
    screen.publish('proposal.created', 9)
    const pill = screen.getByRole('button', { name: ui('showNew', { count: 1 }) })
    await expect.element(pill).toBeVisible()
    screen.queue.replace(aProposal(2, { status: 'REJECTED', commands: [] }))
    screen.publish('proposal.status.changed', 2, { from: 'PENDING', to: 'REJECTED' })
    await expect.element(screen.row(2).getByText(t('state.REJECTED'))).toBeVisible()
    await userEvent.keyboard('a')
    await expect.element(screen.title(3)).toBeVisible()
    await expect.poll(position).toBe('3 of 4 · 2 left')
    await expect.element(screen.row(9)).not.toBeInTheDocument()
    await userEvent.keyboard('.')
    await expect.element(screen.row(9)).toBeVisible()
    await expect.poll(position).toBe('2 of 3 · 3 left')
    await expect.element(screen.title(3)).toBeVisible()
    await expectAccessible()
  })
})

describe('snooze', () => {
  it('is two keys, leads on, and is taken back from the list of snoozed ones', async () => {
    const screen = await open()
    await userEvent.keyboard('j')
    await expect.element(screen.title(1)).toBeVisible()
    await userEvent.keyboard('z')
    const dialog = screen.getByRole('dialog', { name: t('snoozeTitle') })
    await expect.element(dialog).toBeVisible()
    await expectAccessible()
    await userEvent.keyboard('1')
    await expect.element(screen.title(2)).toBeVisible()
    await expect.element(dialog).not.toBeInTheDocument()
    await expect.element(screen.row(1).getByText(/^Snoozed until/)).toBeVisible()
    const snoozed = screen.queue.asked.find(({ command }) => command === 'snooze')
    const { until } = snoozed?.input as { until: string }
    expect(Math.abs(Date.parse(until) - Date.now() - 3_600_000)).toBeLessThan(60_000)
    await screen.getByText(t('tabSnoozed'), { exact: true }).click()
    await screen.row(1).getByRole('link').click()
    await expect.element(screen.title(1)).toBeVisible()
    await userEvent.keyboard('z')
    await expect.element(screen.getByText(t('unsnoozed'))).toBeVisible()
    expect(screen.queue.asked.map(({ command }) => command)).toEqual(['snooze', 'unsnooze'])
  })

  it('refuses a time after the expiry before it is sent', async () => {
    const screen = await open(many(1), `/proposals/${idOf(1)}`)
    await expect.element(screen.title(1)).toBeVisible()
    await userEvent.keyboard('z')
    const dialog = screen.getByRole('dialog', { name: t('snoozeTitle') })
    await dialog.getByLabelText(t('snoozeOwn')).fill('2199-01-01T09:00')
    await expect.element(dialog.getByText(t('snoozeWrong'))).toBeVisible()
    await userEvent.keyboard('{Enter}')
    await userEvent.keyboard('{Escape}')
    await expect.element(dialog).not.toBeInTheDocument()
    expect(screen.queue.asked).toEqual([])
  })
})

describe('the tally of a sitting', () => {
  it('is told after the last one, survives a reload, and names what failed', async () => {
    const screen = await open()
    await userEvent.keyboard('j')
    await expect.element(screen.title(1)).toBeVisible()
    await userEvent.keyboard('a')
    await expect.element(screen.title(2)).toBeVisible()
    await userEvent.keyboard('z1')
    await expect.element(screen.title(3)).toBeVisible()
    await userEvent.keyboard('a')
    await expect.element(screen.getByRole('main').getByText(t('caughtUp'))).toBeVisible()
    await expect.poll(sitting).toMatch(/^3 done in \d+ s: 2 approved, 0 rejected, 1 snoozed, 0 failed$/)
    rereadSitting()
    screen.queue.replace(aProposal(3, { status: 'FAILED', error_code: 'conflict', commands: ['reject'] }))
    screen.publish('proposal.status.changed', 3, { from: 'APPLYING', to: 'FAILED' })
    await expect.poll(sitting).toContain('1 approved, 0 rejected, 1 snoozed, 1 failed')
    const failed = screen.getByRole('link', { name: t('sittingFailure', { n: 1 }) })
    await expect.element(failed).toHaveAttribute('href', expect.stringContaining(idOf(3)))
    await expectAccessible()
  })
})
