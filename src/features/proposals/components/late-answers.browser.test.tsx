/** Answers that take their time: what is asked for meanwhile is something else, and who has gone on stays there. */
import { describe, expect, it } from 'vitest'
import { userEvent } from 'vitest/browser'
import { textsOf } from '#lib/testing/texts.ts'
import { approveUpTo, many, openQueue } from '../testing/open-queue.tsx'
import { aProposal, idOf } from '../testing/proposals.ts'

const t = textsOf('proposals')
type Screen = Awaited<ReturnType<typeof openQueue>>
const pathOf = (n: number) => `/proposals/${idOf(n)}`
const here = () => window.location.pathname

/** So many are approved, and the last of the list is open. */
async function approved(count: number) {
  const screen = await openQueue(many(count + 1))
  await userEvent.keyboard('j')
  await approveUpTo(count, screen)
  await expect.element(screen.tray.getByText(t('held', { count }))).toBeVisible()
  await expect.element(screen.title(count + 1)).toBeVisible()
  return screen
}

const undoneOf = ({ decisions }: Screen) =>
  decisions()
    .filter(({ command }) => command === 'undo')
    .map(({ input }) => input)
const undos = (...ids: number[]) => ids.map((n) => ({ proposal_id: idOf(n) }))

describe('undo before the answer', () => {
  it('takes back the one before by a second u, and by U what is left', async () => {
    const screen = await approved(4)
    const answer = screen.queue.holdAnswers()
    await userEvent.keyboard('uuU')
    answer()
    await expect.element(screen.tray).not.toBeInTheDocument()
    expect(undoneOf(screen)).toEqual(undos(4, 3, 1, 2))
    expect(screen.queue.refused).toEqual([])
  })

  it('is asked for again where it was refused', async () => {
    const screen = await approved(1)
    const [decided_at, apply_not_before] = [0, 30_000].map((ms) => new Date(Date.now() + ms).toISOString())
    const held = aProposal(1, { status: 'APPROVED', commands: ['undo'], decided_at, apply_not_before })
    screen.queue.replace({ ...held, status: 'APPLYING' })
    await userEvent.keyboard('u')
    await expect.element(screen.getByRole('alert')).toBeVisible()
    await expect.element(screen.tray).not.toBeInTheDocument()
    expect(undoneOf(screen)).toEqual([])
    screen.queue.replace(held)
    const resource = { type: 'proposal', id: idOf(1) }
    screen.network.publish({ id: '1', topic: 'proposal.status.changed', resource, to: held.status })
    await expect.element(screen.tray).toBeVisible()
    await userEvent.keyboard('u')
    await expect.poll(() => undoneOf(screen)).toEqual(undos(1))
  })

  it('leaves the reader where they have gone', async () => {
    const screen = await approved(2)
    const answer = screen.queue.holdAnswers()
    await userEvent.keyboard('u')
    await userEvent.keyboard('gi')
    await expect.poll(here).toBe('/inbox')
    answer()
    await expect.element(screen.getByText(t('undone', { count: 1 }))).toBeVisible()
    expect(here()).toBe('/inbox')
  })
})

describe('a decision that could not lead on before its answer', () => {
  it.each([
    ['a', 'approve'],
    ['z1{Escape}', 'snooze'],
  ])('leaves the reader where they have gone: %s', async (keys, command) => {
    const screen = await openQueue(many(3), { at: pathOf(3) })
    await expect.element(screen.title(3)).toBeVisible()
    const answer = screen.queue.holdAnswers()
    await userEvent.keyboard(keys)
    await expect.element(screen.getByRole('dialog')).not.toBeInTheDocument()
    await userEvent.keyboard('kk')
    await expect.element(screen.title(1)).toBeVisible()
    answer()
    await expect.element(screen.row(3).getByText(/^(Approved ·|Snoozed until)/)).toBeVisible()
    expect(screen.decisions().map((one) => one.command)).toEqual([command])
    expect(here()).toBe(pathOf(1))
  })

  it('leads on by its answer where the reader has stayed', async () => {
    const screen = await openQueue(many(3), { at: pathOf(3) })
    await expect.element(screen.title(3)).toBeVisible()
    await userEvent.keyboard('a')
    await expect.element(screen.title(2)).toBeVisible()
  })
})
