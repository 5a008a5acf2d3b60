/** Working through what waits: the order stays, the position and the tally are told, what is put off comes back. */
import { createTwoFilesPatch } from 'diff'
import { describe, expect, it, onTestFinished } from 'vitest'
import { userEvent } from 'vitest/browser'
import type { ProposalView } from '#contracts/proposal.contract.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { forgetDrafts } from '#lib/use-draft.ts'
import { isGlance } from '../hooks/use-advance.ts'
import { invalidateSitting } from '../hooks/use-sitting.ts'
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
    invalidateSitting()
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

/** How many hunks the open proposal has; the next one is drawn behind it, and not shown. */
const shownHunks = () =>
  [...document.querySelectorAll('[data-hunk]')].filter((hunk) => hunk.checkVisibility()).length

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

describe('the end of the list', () => {
  it('asks once for a page that cannot be read, and again when the reader asks', async () => {
    let asked = 0
    const queue = reviewQueue(many(3), {
      nextPage: () => {
        if (++asked === 1) throw new Refused('VALIDATION_FAILED', 'no such cursor')
        return [aProposal(4)]
      },
    })
    const screen = await renderInConsole(<ProposalsPage />, {
      procedures: queue.procedures,
      at: `/proposals/${idOf(1)}`,
    })
    const more = screen.getByRole('button', { name: ui('more') })
    await expect.poll(() => asked).toBe(1)
    await expect.element(screen.getByRole('heading', { name: aProposal(1).summary })).toBeVisible()
    await userEvent.keyboard('j')
    await expect.element(screen.getByRole('heading', { name: aProposal(2).summary })).toBeVisible()
    expect(asked).toBe(1)
    await more.click()
    await expect.element(screen.getByRole('row').filter({ hasText: aProposal(4).summary })).toBeVisible()
    expect(asked).toBe(2)
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
    const [snoozed] = screen.queue.asked.filter(({ command }) => command === 'snooze')
    const { until } = (snoozed as { input: { until: string } }).input
    expect(Math.abs(Date.parse(until) - Date.now() - 3_600_000)).toBeLessThan(60_000)
    const tab = (text: string) => screen.getByRole('group', { name: t('tabs') }).getByText(text)
    await tab(t('tabSnoozed')).click()
    await expect.element(screen.row(1)).toBeVisible()
    await userEvent.keyboard('j')
    await expect.element(screen.title(1)).toBeVisible()
    await userEvent.keyboard('z')
    await expect.element(screen.getByText(t('unsnoozed'))).toBeVisible()
    expect(screen.queue.asked.map(({ command }) => command)).toEqual(['snooze', 'unsnooze'])
    // Here, too, what comes waits to be asked for.
    await tab(t('tabPending')).click()
    await expect.element(screen.getByRole('button', { name: ui('showNew', { count: 1 }) })).toBeVisible()
    await userEvent.keyboard('.')
    await expect.element(screen.row(1)).toBeVisible()
  })

  it('leads on before the answer, and what is refused comes back', async () => {
    const screen = await open()
    await userEvent.keyboard('j')
    await expect.element(screen.title(1)).toBeVisible()
    const answer = screen.queue.holdAnswers()
    await userEvent.keyboard('z1')
    await expect.element(screen.title(2)).toBeVisible()
    expect(screen.queue.asked).toEqual([])
    screen.queue.replace(aProposal(1, { status: 'REJECTED', commands: [] }))
    answer()
    await expect.element(screen.title(1)).toBeVisible()
    expect(screen.queue.refused.map(({ command }) => command)).toEqual(['snooze'])
    expect(sitting()).toBe('')
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
    await expect.poll(() => isGlance(idOf(3))).toBe(false)
    await userEvent.keyboard('a')
    await expect.element(screen.getByRole('main').getByText(t('caughtUp'))).toBeVisible()
    await expect.poll(sitting).toBe('Done: 2 approved, 1 snoozed')
    invalidateSitting()
    screen.queue.replace(aProposal(3, { status: 'FAILED', error_code: 'conflict', commands: ['reject'] }))
    screen.publish('proposal.status.changed', 3, { from: 'APPLYING', to: 'FAILED' })
    await expect.poll(sitting).toBe('Done: 1 approved, 1 snoozed, 1 failed')
    const failed = screen.getByRole('link', { name: t('sittingFailure', { n: 1 }) })
    await expect.element(failed).toHaveAttribute('href', expect.stringContaining(idOf(3)))
    await expectAccessible()
  })
})

describe('the tally of an approval with edits', () => {
  it('is of the child, which is what fails', async () => {
    const { changes } = aProposal(1)
    const editable = changes.map((change) => ({
      ...change,
      unified: createTwoFilesPatch('a', 'b', change.base_text ?? '', change.proposed_text ?? ''),
    }))
    const commands = ['approve' as const, 'edit' as const]
    const screen = await open(
      [aProposal(1, { changes: editable, commands }), aProposal(2)],
      `/proposals/${idOf(1)}`,
    )
    await expect.element(screen.title(1)).toBeVisible()
    await expect.poll(shownHunks).toBe(2)
    await userEvent.keyboard('nh')
    const bar = screen.getByRole('region', { name: t('approveEdited') })
    await expect.element(bar).toBeVisible()
    await userEvent.keyboard('a')
    await expect.element(screen.title(2)).toBeVisible()
    expect(screen.queue.asked.map(({ command }) => command)).toEqual(['edit'])
    const child = idOf(1).replace('prop_', 'prop_1')
    screen.network.publish({
      id: '1',
      topic: 'proposal.status.changed',
      resource: { type: 'proposal', id: child },
      from: 'APPLYING',
      to: 'FAILED',
    })
    await userEvent.keyboard('a')
    await expect.poll(sitting).toBe('Done: 1 approved, 1 failed')
    // Signing out ends it.
    forgetDrafts()
    invalidateSitting()
    await expect.poll(sitting).toBe('')
  })
})

const RISK: NonNullable<ProposalView['risk']> = {
  score: 70,
  level: 'high',
  reasons: [
    { code: 'definition', points: 40, count: 1 },
    { code: 'removes_file', points: 30, count: 2 },
  ],
}
const lines = (n: number) => Array.from({ length: n }, (_, i) => `Line ${i}`).join('\n')

/** A change of two places so far apart that they are never on screen together. */
function tall(n: number): ProposalView {
  const one = aProposal(n)
  const before = Array.from({ length: 60 }, (_, i) => `${lines(1)} a${i}`).join('\n')
  const after = before.replaceAll(/a(\d+)/g, (_, i) => (Number(i) % 2 ? `a${i}` : `b${i}`))
  const middle = `${lines(30)}\n`
  const text = (of: string) =>
    `${of}\n${middle}end ${of.length}\n${middle}${of.includes('b0') ? 'last, new' : 'last, old'}\n`
  const [change] = one.changes
  return {
    ...one,
    changes: change
      ? [{ ...change, base_text: text(before), current_text: text(before), proposed_text: text(after) }]
      : [],
  }
}

describe('what makes one look', () => {
  it('names the risk with its reasons, the agent’s record and the last day, by words', async () => {
    const soon = new Date(Date.now() + 3_600_000).toISOString()
    const screen = await open([
      aProposal(1, { risk: RISK, expires_at: soon, commands: ['reject'] }),
      aProposal(2),
    ])
    await expect.element(screen.row(1).getByText(t('riskLevels.high'))).toBeVisible()
    await expect.element(screen.row(1).getByText(t('expiresToday'))).toBeVisible()
    await expect.element(screen.row(2).getByText(t('expiresToday'))).not.toBeInTheDocument()
    await userEvent.keyboard('j')
    await expect.element(screen.getByText(t('riskReasons.removes_file', { count: 2 }))).toBeVisible()
    await expect
      .element(
        screen.getByRole('article').getByText(t('approvedOf', { approved: 34, decided: 40, days: 90 })),
      )
      .toBeVisible()
    await expect.element(screen.getByRole('img', { name: /Approved, Rejected, Approved$/ })).toBeVisible()
    await expectAccessible()
  })

  it('lets high risk be approved after two seconds, counted in the button', async () => {
    const screen = await open([aProposal(1, { risk: RISK }), aProposal(2)], `/proposals/${idOf(1)}`)
    const approve = screen.getByRole('button', { name: /^Approve in \d s$/ })
    await expect.element(approve).toBeVisible()
    await userEvent.keyboard('a')
    expect(screen.queue.asked).toEqual([])
    await expect.element(screen.getByRole('button', { name: t('approve'), exact: true })).toBeVisible()
    await userEvent.keyboard('a')
    await expect.element(screen.title(2)).toBeVisible()
    await expect.poll(() => screen.queue.asked.map(({ command }) => command)).toEqual(['approve'])
  })

  it('names hunks that were not seen, leads to the first, and approves by the second key', async () => {
    const screen = await open([tall(1), aProposal(2)], `/proposals/${idOf(1)}`)
    await expect.element(screen.title(1)).toBeVisible()
    await expect.poll(shownHunks).toBe(2)
    await userEvent.keyboard('a')
    await expect.element(screen.getByText(t('unseenHunks', { unseen: 1, total: 2 }))).toBeVisible()
    expect(screen.queue.asked).toEqual([])
    const last = document.querySelector('[data-hunk="2"]')?.getBoundingClientRect()
    expect(last?.top).toBeLessThan(window.innerHeight)
    await userEvent.keyboard('a')
    await expect.element(screen.title(2)).toBeVisible()
  })
})
