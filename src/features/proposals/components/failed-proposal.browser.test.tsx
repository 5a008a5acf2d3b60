/** What became of approvals, and what else waits, is told without being looked for. */
import { describe, expect, it } from 'vitest'
import type { ProposalView } from '#contracts/proposal.contract.ts'
import { commandsFor } from '#domain/proposal/proposal-commands.rules.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { systemOf } from '#lib/testing/system-answers.ts'
import { textsOf } from '#lib/testing/texts.ts'
import { useDepartures } from '#lib/use-departures.ts'
import { many, openQueue } from '../testing/open-queue.tsx'
import { reviewQueue } from '../testing/procedures.ts'
import { aProposal, idOf } from '../testing/proposals.ts'
import { FailedCommands, FailureOf } from './failed-proposal.tsx'
import { FailureToasts } from './failure-toasts.tsx'

const t = textsOf('proposals')
const shell = textsOf('shell')
const subject = { archived: false, snoozed: false, isEditable: true, awaitsChanges: false, hasAgent: true }
const failed = (n: number, code: 'conflict' | 'timeout') =>
  aProposal(n, {
    status: 'FAILED',
    error_code: code,
    commands: commandsFor('owner', {
      ...subject,
      status: 'FAILED',
      errorCode: code,
      inConflict: code === 'conflict',
    }),
  })

const Failed = ({ proposals }: { proposals: readonly ProposalView[] }) => (
  <ul>
    {proposals.map((p) => (
      <li key={p.proposal_id}>
        {p.summary}
        <FailureOf proposal={p} />
        <FailedCommands proposal={p} />
      </li>
    ))}
  </ul>
)

async function open(proposals = [failed(1, 'timeout'), failed(2, 'conflict')]) {
  const queue = reviewQueue(proposals)
  const system = systemOf({ proposals_waiting: 3, proposals_failed: proposals.length })
  const screen = await renderInConsole(<Failed proposals={proposals} />, {
    procedures: { ...queue.procedures, system },
    tray: <FailureToasts />,
  })
  const row = (n: number) => screen.getByRole('listitem').filter({ hasText: aProposal(n).summary })
  return { ...screen, queue, row }
}

describe('proposals that failed to apply', () => {
  it('stand with their reason and what can be done, and are retried or rejected there', async () => {
    const screen = await open()
    await expect.element(screen.row(1).getByText(t('applyErrors.timeout'))).toBeVisible()
    await expect.element(screen.row(2).getByText(t('applyErrors.conflict'))).toBeVisible()
    // What the garden's content stands against is not retried.
    await expect.element(screen.row(2).getByRole('button', { name: t('retry') })).not.toBeInTheDocument()
    await expectAccessible()
    await screen
      .row(1)
      .getByRole('button', { name: t('retry') })
      .click()
    await screen
      .row(2)
      .getByRole('button', { name: t('reject') })
      .click()
    const dialog = screen.getByRole('dialog', { name: t('rejectTitle') })
    await expect.element(dialog.getByText(aProposal(2).summary)).toBeVisible()
    await expectAccessible()
    await dialog.getByLabelText(t('reasonCode')).selectOptions('stale')
    await dialog.getByLabelText(t('note')).fill('Somebody wrote this bed anew.')
    await dialog.getByRole('button', { name: t('reject') }).click()
    await expect
      .poll(() => screen.queue.asked)
      .toEqual([
        { command: 'retry', input: { proposal_id: idOf(1) } },
        {
          command: 'reject',
          input: {
            proposal_id: idOf(2),
            decision_note: 'Somebody wrote this bed anew.',
            reason_code: 'stale',
          },
        },
      ])
  })

  it('keep what was begun to be written of each apart', async () => {
    const screen = await open()
    const note = screen.getByRole('dialog').getByLabelText(t('note'))
    const reject = (n: number) => screen.row(n).getByRole('button', { name: t('reject') })
    await reject(1).click()
    await note.fill('It was never needed.')
    const cancel = screen.getByRole('dialog').getByRole('button', { name: textsOf('ui')('cancel') })
    await cancel.click()
    await reject(2).click()
    await expect.element(note).toHaveValue('')
    await cancel.click()
    await reject(1).click()
    await expect.element(note).toHaveValue('It was never needed.')
  })

  it('are counted beside what waits, and called by their name', async () => {
    const screen = await open()
    const words = `${shell('pending', { count: 3 })}, ${shell('failed', { count: 2 })}`
    const place = screen.getByRole('link', { name: `${shell('proposals')} ${words}` })
    await expect.element(place.first()).toBeVisible()
    await expect.element(place.first()).toHaveTextContent(`${shell('proposals')}5${words}`)
  })

  it('say so when it happens, on whatever page one is', async () => {
    const screen = await open([failed(3, 'timeout')])
    await expect.element(screen.getByText(textsOf('live')('live'))).toBeVisible()
    const resource = { type: 'proposal', id: idOf(3) }
    screen.network.publish({
      id: '1',
      topic: 'proposal.status.changed',
      resource,
      from: 'APPLYING',
      to: 'FAILED',
    })
    const toast = screen.getByText(
      t('failedToast', { summary: aProposal(3).summary, reason: t('applyErrors.timeout') }),
    )
    await expect.element(toast).toBeVisible()
  })

  it('are counted in one message with one link while it stands, and told anew once it is closed', async () => {
    const all = Array.from({ length: 10 }, (_, n) => failed(n + 1, 'timeout'))
    const screen = await open(all)
    await expect.element(screen.getByText(textsOf('live')('live'))).toBeVisible()
    const fail = (n: number) =>
      screen.network.publish({
        id: `${n}`,
        topic: 'proposal.status.changed',
        resource: { type: 'proposal', id: idOf(n) },
        from: 'APPLYING',
        to: 'FAILED',
      })
    for (let n = 1; n <= 10; n++) fail(n)
    await expect.element(screen.getByText(t('failedCount', { count: 10 }))).toBeVisible()
    expect(screen.getByRole('alert').elements()).toHaveLength(1)
    const toast = screen.getByRole('alert')
    await expect
      .element(toast.getByRole('link', { name: t('failedAll') }))
      .toHaveAttribute('href', '/proposals?tab=failed')
    await toast.getByRole('button', { name: textsOf('ui')('close') }).click()
    fail(3)
    const one = t('failedToast', { summary: aProposal(3).summary, reason: t('applyErrors.timeout') })
    await expect.element(screen.getByText(one)).toBeVisible()
  })
})

describe('the list after the last decision', () => {
  it('leads on to what else needs the reader', async () => {
    const screen = await openQueue(many(1), { needs: 2 })
    screen.queue.replace(aProposal(1, { status: 'REJECTED', commands: [] }))
    screen.network.publish({
      id: '1',
      topic: 'proposal.status.changed',
      resource: { type: 'proposal', id: idOf(1) },
      to: 'REJECTED',
    })
    const main = screen.getByRole('main')
    await expect.element(main.getByText(t('othersNeedYou', { count: 2 }))).toBeVisible()
    expect(main.getByText(t('caughtUp')).elements()).toEqual([])
    await expect.element(main.getByRole('link', { name: t('openInbox') })).toHaveAttribute('href', '/inbox')
  })

  it('says of an applied one which commit it is', async () => {
    const screen = await openQueue(many(2))
    const { to, ...event } = applied(1)
    screen.queue.replace(aProposal(1, { status: to, git_commit: 'c0ffee12'.repeat(5), commands: [] }))
    screen.network.publish({ ...event, to })
    const text = () => screen.row(1).element().textContent
    await expect.poll(text).toContain(`${t('state.APPLIED')}c0ffee12`)
  })

  it('shows no state before what belongs to it', async () => {
    const { promise, resolve } = Promise.withResolvers<{ git_commit: string }>()
    const list = { wanted: ['PENDING' as const], ids: [idOf(1), idOf(2)], scope: '' }
    const read = (id: string) => (id === idOf(1) ? promise : null)
    function Departed() {
      const { departed } = useDepartures<ProposalView>('proposal.status.changed', {
        ...list,
        particulars: read,
      })
      return <output data-departed>{JSON.stringify([...departed.values()])}</output>
    }
    const screen = await renderInConsole(<Departed />)
    const shown = () => JSON.parse(document.querySelector('[data-departed]')?.textContent ?? '')
    await expect.element(screen.getByText(textsOf('live')('live'))).toBeVisible()
    screen.network.publish(applied(1))
    screen.network.publish(applied(2))
    await expect.poll(shown).toEqual([{ status: 'APPLIED' }])
    resolve({ git_commit: 'c0ffee12' })
    await expect.poll(shown).toContainEqual({ status: 'APPLIED', git_commit: 'c0ffee12' })
  })
})

const applied = (n: number) => ({
  id: `${n}`,
  topic: 'proposal.status.changed',
  resource: { type: 'proposal', id: idOf(n) },
  to: 'APPLIED' as const,
})
