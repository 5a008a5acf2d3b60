import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { ChangeRequestView } from '#contracts/change-request.contract.ts'
import type { ProposalView } from '#contracts/proposal.contract.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { aRequest, noRequest } from '../testing/change-requests.ts'
import { reviewQueue } from '../testing/procedures.ts'
import { aProposal, idOf, twoHunks } from '../testing/proposals.ts'
import { ProposalsPage } from './proposals-page.tsx'
import { UndoTray } from './undo-tray.tsx'

const t = textsOf('proposals')
const ui = textsOf('ui')
const NOTE = 'Not what the source says.'
const PATH = 'notes/note-1.md'
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

describe('a proposal under review', () => {
  it('shows its change, its reasons and its sources without an accessibility fault', async () => {
    const screen = await open()
    await expect.element(screen.getByText('three')).toBeVisible()
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

  it('goes from change to change by n and p', async () => {
    const screen = await open()
    const hunk = (n: number) => screen.getByRole('group', { name: ui('hunk', { n, total: 2 }) })
    const isMarked = (n: number) => getComputedStyle(hunk(n).element()).boxShadow !== 'none'
    await userEvent.keyboard('nn')
    await expect.poll(() => [isMarked(1), isMarked(2)]).toEqual([false, true])
    await userEvent.keyboard('p')
    await expect.poll(() => [isMarked(1), isMarked(2)]).toEqual([true, false])
  })

  it('goes by ] and [ from file to file, and by n through the one that is marked', async () => {
    const { changes } = aProposal(1)
    const two = [...changes, ...changes.map((change) => ({ ...change, path: 'notes/note-second.md' }))]
    const screen = await open([aProposal(1, { changes: two }), aProposal(2)])
    const marked = () =>
      [...document.querySelectorAll('[data-diff]')].map(
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

  it('is approved by a as it was seen, and leads on to the next', async () => {
    const screen = await open()
    await userEvent.keyboard('a')
    await expect.element(screen.title(2)).toBeVisible()
    const { proposal_id, review_digest } = aProposal(1)
    expect(screen.decisions()).toEqual([{ command: 'approve', input: { proposal_id, review_digest } }])
  })

  it('leads on before the answer, and a second press there is nobody’s; what is refused comes back', async () => {
    const screen = await open()
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

describe('changes that are requested', () => {
  async function openWith(view: Partial<ChangeRequestView>, more: Partial<ProposalView> = {}) {
    const commands = ['approve', 'reject', 'edit', 'requestChanges'] as const
    const shown = aProposal(1, { commands: [...commands], ...more })
    const changeRequestOf = () => ({ ...noRequest(), ...view })
    const queue = reviewQueue([shown, aProposal(2)], { changeRequestOf })
    const render = () =>
      renderInConsole(<ProposalsPage />, { procedures: queue.procedures, at: `/proposals/${idOf(1)}` })
    const screen = await render()
    await expect.element(screen.getByRole('region', { name: PATH })).toBeVisible()
    return { ...screen, queue, render, form: page.getByRole('region', { name: t('requestChanges') }) }
  }

  it('are comments on lines, kept over a reload and sent once with a note', async () => {
    const screen = await openWith({ siblings: 2 })
    const at = (name: string) => screen.getByRole('button', { name, exact: true })
    const first = at(ui('commentRemoved', { line: 3 }))
    first.element().focus()
    await userEvent.keyboard('{ArrowDown}')
    await expect.element(at(ui('commentLine', { line: 3 }))).toHaveFocus()
    await userEvent.keyboard('{Enter}')
    await userEvent.keyboard('Why third?{Escape}')
    await expect.element(at(ui('commentLine', { line: 3 }))).toHaveFocus()
    await expect
      .element(screen.getByRole('note', { name: t('commentDraft') }).getByText('Why third?'))
      .toBeVisible()
    await expectAccessible()
    await screen.unmount()

    const again = await screen.render()
    await expect
      .element(again.getByRole('note', { name: t('commentDraft') }).getByText('Why third?'))
      .toBeVisible()
    await expect
      .element(screen.form.getByRole('status'))
      .toHaveTextContent(t('changesSummary', { comments: 1, files: 1 }))
    await userEvent.keyboard('q')
    await expect.element(screen.form.getByRole('textbox')).toHaveFocus()
    await userEvent.keyboard('See the journal.')
    await screen.form.getByRole('checkbox').click()
    await screen.form.getByRole('button', { name: t('changesSend', { agent: 'librarian' }) }).click()
    await expect.element(again.getByRole('heading', { name: aProposal(2).summary })).toBeVisible()
    expect(screen.queue.asked.filter(({ command }) => command === 'requestChanges')).toEqual([
      {
        command: 'requestChanges',
        input: {
          proposal_id: idOf(1),
          review_digest: aProposal(1).review_digest,
          comments: [{ path: PATH, side: 'proposed', line: 3, body: 'Why third?' }],
          note: 'See the journal.',
          with_siblings: true,
        },
      },
    ])
  })

  it('are refused at once where nobody could answer', async () => {
    const screen = await openWith({
      answerer: { agent: 'librarian', status: 'paused', problem: 'agent_inactive' },
    })
    await userEvent.keyboard('q')
    await expect
      .element(screen.form.getByRole('alert'))
      .toHaveTextContent(t('changesProblem.agent_inactive', { agent: 'librarian' }))
    await expect
      .element(screen.form.getByRole('button', { name: t('changesSend', { agent: 'librarian' }) }))
      .toHaveAttribute('aria-disabled', 'true')
  })

  it('and answered: opens on what changed since the review, and the whole is one key away', async () => {
    const { lineage } = aProposal(1)
    const since_review = [
      { path: PATH, before: twoHunks(), after: twoHunks().replace('Line three of', 'Row three of') },
    ]
    const view = { request: { ...aRequest(1), proposal_id: idOf(7) }, since_review }
    const screen = await openWith(view, { lineage: { ...lineage, supersedes: idOf(7) } })
    await expect.element(screen.getByText(t('changesAnswer'))).toBeVisible()
    await expect.element(screen.getByText(t('sinceReviewHint'))).toBeVisible()
    const inserted = () => [...document.querySelectorAll('ins')].map((line) => line.textContent)
    await expect.poll(inserted).toEqual(['Row three of the note.'])
    const [changed, unchanged] = [t('commentChanged'), t('commentUnchanged')]
    await expect.element(screen.getByText(changed, { exact: true })).toBeVisible()
    await expect.element(screen.getByText(unchanged, { exact: true })).toBeVisible()
    await expectAccessible()
    await userEvent.keyboard('w')
    await expect.element(screen.getByText(t('wholeChangeHint'))).toBeVisible()
    await expect.poll(inserted).toEqual(['Line three of the note.', 'Line twenty-five of the note.'])
  })

  it('and come back in vain: says so, and offers every command again', async () => {
    const screen = await openWith({ request: aRequest(1) }, { change_request: 'inbox-1' })
    await expect.element(screen.getByText(t('changesReturned.completed'))).toBeVisible()
    await expect.element(screen.getByRole('link', { name: t('changesOpenRun') })).toBeVisible()
  })
})
