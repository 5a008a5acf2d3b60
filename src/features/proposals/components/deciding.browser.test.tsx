/** What is decided is what is on screen: one mark, one undo for everything held, lists that say what became of a row. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { textsOf } from '#lib/testing/texts.ts'
import { approveUpTo, many, openQueue } from '../testing/open-queue.tsx'
import { aProposal, idOf } from '../testing/proposals.ts'

const t = textsOf('proposals')
const ui = textsOf('ui')
/** The rows that are marked in any way: as open, or by the focus. */
const marked = () =>
  [...document.querySelectorAll<HTMLElement>('tbody tr')]
    .filter((row) => row.ariaCurrent === 'true' || row.contains(document.activeElement))
    .map((row) => row.dataset.row)

describe('the one mark of the list', () => {
  it('opens the first by j, and then whatever j and k go to', async () => {
    const screen = await openQueue()
    await userEvent.keyboard('j')
    await expect.element(screen.title(1)).toBeVisible()
    await userEvent.keyboard('jj')
    await expect.element(screen.title(3)).toBeVisible()
    await expect.poll(marked).toEqual([idOf(3)])
    await userEvent.keyboard('k')
    await expect.element(screen.title(2)).toBeVisible()
    await expect.poll(marked).toEqual([idOf(2)])
    await userEvent.keyboard('a')
    await expect
      .poll(() => screen.decisions().map(({ input }) => input))
      .toEqual([{ proposal_id: idOf(2), review_digest: aProposal(2).review_digest }])
  })

  it('moves on with the decision', async () => {
    const screen = await openQueue()
    await userEvent.keyboard('j')
    await expect.element(screen.title(1)).toBeVisible()
    await userEvent.keyboard('a')
    await expect.element(screen.title(2)).toBeVisible()
    await expect.poll(marked).toEqual([idOf(2)])
  })

  it('decides nothing by a key for one that is not on screen yet', async () => {
    const screen = await openQueue()
    await userEvent.keyboard('j')
    await expect.element(screen.title(1)).toBeVisible()
    await expect.element(screen.getByRole('button', { name: t('approve') })).toBeVisible()
    // The address has moved on, the page has not: what `j` leaves for an instant.
    const address = (n: number) =>
      History.prototype.replaceState.call(window.history, null, '', `/proposals/${idOf(n)}`)
    address(2)
    await userEvent.keyboard('a')
    // A key that is answered after it: by then the decision would have been sent.
    await userEvent.keyboard('?')
    const shortcuts = screen.getByRole('dialog', { name: textsOf('shell')('shortcuts') })
    await expect.element(shortcuts).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await expect.element(shortcuts).not.toBeInTheDocument()
    expect(screen.decisions()).toEqual([])
    address(1)
    await userEvent.keyboard('a')
    await expect.element(screen.row(1).getByText(/^Approved ·/)).toBeVisible()
    await userEvent.keyboard('u')
    await expect.element(screen.getByText(t('undone', { count: 1 }))).toBeVisible()
    expect(screen.decisions().map(({ command }) => command)).toEqual(['approve', 'undo'])
  })
})

describe('the next one', () => {
  const behind = (n: number) => document.querySelector(`[data-review="${idOf(n)}"]`)

  it('is drawn behind the open one, out of sight, and takes no part in anything', async () => {
    const screen = await openQueue(many(3).map((one) => ({ ...one, seen: false })))
    await userEvent.keyboard('j')
    await expect.element(screen.title(1)).toBeVisible()
    await expect.poll(() => behind(2)?.querySelector('[data-diff]')).toBeTruthy()
    expect(behind(2)?.checkVisibility()).toBe(false)
    expect(behind(3)).toBeNull()
    await expect.element(screen.getByRole('button', { name: t('approve') })).toBeVisible()
    // Whoever looks at the first for long has not looked at the second.
    const seen = () => screen.queue.asked.filter(({ command }) => command === 'markSeen')
    await expect.poll(() => seen().map(({ input }) => input)).toEqual([{ proposal_id: idOf(1) }])
    await userEvent.keyboard('a')
    await expect.element(screen.title(2)).toBeVisible()
    await expect.poll(() => screen.decisions().map(({ command }) => command)).toEqual(['approve'])
    await expect.poll(() => behind(3)?.querySelector('[data-diff]')).toBeTruthy()
  })

  it('is not drawn where nothing is the reader’s to decide', async () => {
    const screen = await openQueue(many(3), { role: 'operator' })
    await userEvent.keyboard('j')
    await expect.element(screen.title(1)).toBeVisible()
    await userEvent.keyboard('j')
    await expect.element(screen.title(2)).toBeVisible()
    expect([1, 3].map(behind)).toEqual([null, null])
  })
})

describe('undo', () => {
  it('takes back the latest by u and all the others by U, however many there are', async () => {
    const screen = await openQueue(many(7))
    await userEvent.keyboard('j')
    await approveUpTo(6, screen)
    await expect.element(screen.title(7)).toBeVisible()
    await expect.element(screen.tray.getByText(t('held', { count: 6 }))).toBeVisible()
    await expectAccessible()
    await userEvent.keyboard('u')
    await expect.element(screen.title(6)).toBeVisible()
    await expect.element(screen.tray.getByText(t('held', { count: 5 }))).toBeVisible()
    await userEvent.keyboard('U')
    await expect.element(screen.tray).not.toBeInTheDocument()
    const undone = screen.decisions().filter(({ command }) => command === 'undo')
    expect(undone.map(({ input }) => (input as { proposal_id: string }).proposal_id)).toEqual(
      [6, 1, 2, 3, 4, 5].map(idOf),
    )
    await expect.element(screen.title(1)).toBeVisible()
  }, 60_000)

  it('counts those that came back, and leads to the first of them, where another was taken before', async () => {
    const screen = await openQueue(many(4))
    await userEvent.keyboard('j')
    await approveUpTo(3, screen)
    await expect.element(screen.tray.getByText(t('held', { count: 3 }))).toBeVisible()
    screen.queue.replace({ ...aProposal(1), status: 'APPLYING' })
    await userEvent.keyboard('U')
    await expect.element(screen.getByText(t('undone', { count: 2 }))).toBeVisible()
    await expect.element(screen.title(2)).toBeVisible()
    expect(screen.queue.refused.map(({ input }) => input)).toEqual([{ proposal_id: idOf(1) }])
  })

  it('is there after a reload, from what the server says', async () => {
    const [decided_at, apply_not_before] = [0, 30_000].map((ms) => new Date(Date.now() + ms).toISOString())
    const held = aProposal(2, { status: 'APPROVED', commands: ['undo'], decided_at, apply_not_before })
    const screen = await openQueue([aProposal(1), held])
    await expect.element(screen.tray.getByText(aProposal(2).summary)).toBeVisible()
    await expect.element(screen.tray.getByText(/^\d+ s$/)).toBeVisible()
  })

  it('stays inside a narrow page, with its buttons', async () => {
    await page.viewport(390, 844)
    onTestFinished(() => page.viewport(1280, 800))
    const long = { summary: 'A summary that is much longer than a phone is wide, and says so twice over' }
    const [decided_at, apply_not_before] = [0, 30_000].map((ms) => new Date(Date.now() + ms).toISOString())
    const held = aProposal(2, {
      ...long,
      status: 'APPROVED',
      commands: ['undo'],
      decided_at,
      apply_not_before,
    })
    const screen = await openQueue([aProposal(1), held])
    const undo = screen.tray.getByRole('button', { name: t('undoOne', long) })
    await expect.element(undo).toBeVisible()
    expect(undo.element().getBoundingClientRect().right).toBeLessThanOrEqual(window.innerWidth)
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(window.innerWidth)
    await expectAccessible()
  })

  it.each([
    [390, 844],
    [1280, 800],
  ])('says a long time on one line, and covers no row, %i pixels wide', async (width, height) => {
    await page.viewport(width, height)
    onTestFinished(() => page.viewport(1280, 800))
    const [decided_at, apply_not_before] = [0, 3_483_000].map((ms) => new Date(Date.now() + ms).toISOString())
    const twelve = Array.from({ length: 12 }, (_, i) =>
      aProposal(i + 1, { summary: `One of twelve: ${i + 1}.` }),
    )
    const held = [21, 22, 23, 24, 25, 26].map((n) =>
      aProposal(n, { status: 'APPROVED', commands: ['undo'], decided_at, apply_not_before }),
    )
    const screen = await openQueue([...twelve, ...held])
    const times = screen.tray.getByText(/^5[78] m \d\d s$/)
    await expect.poll(() => times.elements().length).toBe(6)
    expect(times.elements().map((time) => time.getClientRects().length)).toEqual([1, 1, 1, 1, 1, 1])
    const last = screen.getByRole('row').filter({ hasText: 'twelve: 12.' }).element()
    last.scrollIntoView({ block: 'end' })
    expect(last.getBoundingClientRect().bottom).toBeLessThanOrEqual(
      screen.tray.element().getBoundingClientRect().top,
    )
  })

  it('does not offer what is over', async () => {
    const past = new Date(Date.now() - 1_000).toISOString()
    const held = aProposal(2, { status: 'APPROVED', commands: ['undo'], apply_not_before: past })
    const screen = await openQueue([aProposal(1), held])
    await expect.element(screen.row(1)).toBeVisible()
    await expect.element(screen.tray).not.toBeInTheDocument()
  })

  it('stands in the row that was decided, with the seconds that are left', async () => {
    const screen = await openQueue(many(2), { at: `/proposals/${idOf(1)}` })
    await expect.element(screen.title(1)).toBeVisible()
    await userEvent.keyboard('a')
    await expect.element(screen.row(1).getByText(/^Approved · \d+ s$/)).toBeVisible()
    await screen
      .row(1)
      .getByRole('button', { name: t('undoOne', { summary: aProposal(1).summary }) })
      .click()
    await expect.element(screen.title(1)).toBeVisible()
    await expect.element(screen.row(1).getByText(/Approved/)).not.toBeInTheDocument()
  })
})

describe('the list after decisions', () => {
  it('says that nothing is left after the last one, and what became of them', async () => {
    const screen = await openQueue(many(2))
    await userEvent.keyboard('j')
    await approveUpTo(2, screen)
    const main = screen.getByRole('main')
    await expect.element(main.getByText(t('caughtUp'))).toBeVisible()
    await expect.element(screen.row(1).getByText(/^Approved ·/)).toBeVisible()
    await expect.element(screen.row(2).getByText(/^Approved ·/)).toBeVisible()
    expect(main.getByText(t('caughtUp')).elements()).toHaveLength(1)
    await expect
      .element(screen.getByRole('button', { name: new RegExp(ui('refresh')) }))
      .not.toBeInTheDocument()
    const statement = main.getByText(t('caughtUp')).element().getBoundingClientRect()
    expect(screen.row(2).element().getBoundingClientRect().bottom).toBeLessThanOrEqual(statement.top)
    expect(window.location.pathname).toBe('/proposals')
    await expectAccessible()
  })

  it('goes on below what was decided when another one comes', async () => {
    const screen = await openQueue(many(1), { at: `/proposals/${idOf(1)}` })
    await expect.element(screen.title(1)).toBeVisible()
    await userEvent.keyboard('a')
    await expect.element(screen.getByRole('main').getByText(t('caughtUp'))).toBeVisible()
    screen.queue.replace(aProposal(2))
    screen.network.publish({
      id: '1',
      topic: 'proposal.created',
      resource: { type: 'proposal', id: idOf(2) },
    })
    await expect.element(screen.row(2)).toBeVisible()
    await expect.element(screen.getByRole('main').getByText(t('caughtUpHint'))).not.toBeInTheDocument()
    await screen.getByRole('button', { name: new RegExp(ui('refresh')) }).click()
    await expect.element(screen.row(1)).not.toBeInTheDocument()
    await expect.element(screen.row(2)).toBeVisible()
  })

  it('follows by events what was decided elsewhere', async () => {
    const screen = await openQueue(many(2))
    screen.queue.replace(aProposal(1, { status: 'REJECTED', commands: [] }))
    screen.network.publish({
      id: '1',
      topic: 'proposal.status.changed',
      resource: { type: 'proposal', id: idOf(1) },
      from: 'PENDING',
      to: 'REJECTED',
    })
    await expect.element(screen.row(1).getByText(t('state.REJECTED'))).toBeVisible()
  })
})

describe('without a network', () => {
  it('refuses a rejection at once, and never sends what was cancelled', async () => {
    const screen = await openQueue(many(2), { at: `/proposals/${idOf(1)}` })
    await expect.element(screen.title(1)).toBeVisible()
    await userEvent.keyboard('r')
    await screen.getByRole('dialog').getByRole('textbox').fill('Not what the source says.')
    screen.network.disconnect()
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await expect
      .element(screen.getByRole('dialog').getByRole('alert'))
      .toHaveTextContent(textsOf('errors')('OFFLINE'))
    await userEvent.keyboard('{Escape}')
    await expect.element(screen.getByRole('dialog')).not.toBeInTheDocument()
    screen.network.connect()
    await expect.element(screen.getByText(textsOf('live')('live'))).toBeVisible()
    expect(screen.decisions()).toEqual([])
  })

  it('says why nothing can be decided, by button and by key', async () => {
    const screen = await openQueue(many(2), { at: `/proposals/${idOf(1)}` })
    await expect.element(screen.title(1)).toBeVisible()
    screen.network.disconnect()
    const approve = screen.getByRole('button', { name: t('approve') })
    await expect.element(approve).toHaveAccessibleDescription(ui('offline'))
    await userEvent.keyboard('a')
    await expect.element(screen.getByText(ui('offline'))).toBeVisible()
    await expectAccessible()
    screen.network.connect()
    await expect.element(approve).not.toHaveAttribute('aria-disabled')
    expect(screen.decisions()).toEqual([])
  })

  it('shows a soft error for what was not read yet, and recovers by itself', async () => {
    const screen = await openQueue(many(5), { at: `/proposals/${idOf(1)}` })
    await expect.element(screen.title(1)).toBeVisible()
    screen.network.disconnect()
    await userEvent.keyboard('jjjj')
    await expect.element(screen.getByRole('button', { name: ui('retry') })).toBeVisible()
    screen.network.connect()
    await expect.element(screen.title(5)).toBeVisible()
  })
})

describe('who may not decide', () => {
  it('is told so at the buttons, and is offered no undo', async () => {
    const apply_not_before = new Date(Date.now() + 30_000).toISOString()
    const held = aProposal(2, { status: 'APPROVED', commands: [], apply_not_before })
    const screen = await openQueue([aProposal(1, { commands: [] }), held], {
      at: `/proposals/${idOf(1)}`,
      role: 'operator',
    })
    await expect.element(screen.getByText(t('pending', { count: 1 }))).toBeVisible()
    await expect.element(screen.getByText(t('toReview', { count: 1 }))).not.toBeInTheDocument()
    const approve = screen.getByRole('button', { name: t('approve') })
    await expect.element(approve).toHaveAccessibleDescription(ui('onlyOwner'))
    await userEvent.keyboard('a')
    await expect.element(screen.getByText(ui('onlyOwner'))).toBeVisible()
    await expect.element(screen.tray).not.toBeInTheDocument()
    expect(screen.decisions()).toEqual([])
  })
})
