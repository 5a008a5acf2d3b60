import { createTwoFilesPatch } from 'diff'
import { describe, expect, it, onTestFinished } from 'vitest'
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

const t = textsOf('proposals')
const ui = textsOf('ui')
type Input = { proposal_id: string }
const PATH = 'notes/note-1.md'

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
    await page.viewport(390, 844)
    onTestFinished(() => page.viewport(1280, 800))
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390)
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

  const openAnswer = (more: Partial<ProposalView> = {}) => {
    const { lineage, changes } = aProposal(1)
    const since_review = [
      { path: PATH, before: twoHunks(), after: twoHunks().replace('Line three of', 'Row three of') },
    ]
    const view = { request: { ...aRequest(1), proposal_id: idOf(7) }, since_review }
    const diffed = changes.map((change) => ({
      ...change,
      unified: createTwoFilesPatch('a', 'b', change.base_text ?? '', change.proposed_text ?? ''),
    }))
    return openWith(view, { lineage: { ...lineage, supersedes: idOf(7) }, changes: diffed, ...more })
  }
  const approvals = ({ queue }: Awaited<ReturnType<typeof openWith>>) =>
    queue.asked.flatMap(({ command, input }) => (command === 'approve' ? [(input as Input).proposal_id] : []))
  const inserted = () =>
    [...document.querySelectorAll(`[data-review="${idOf(1)}"] ins`)].map((line) => line.textContent)

  it('and answered: opens on what changed since the review, and the whole is one key away', async () => {
    const screen = await openAnswer()
    await expect.element(screen.getByText(t('changesAnswer'))).toBeVisible()
    await expect.element(screen.getByText(t('sinceReviewHint'))).toBeVisible()
    await expect.poll(inserted).toEqual(['Row three of the note.'])
    const [changed, unchanged] = [t('commentChanged'), t('commentUnchanged')]
    await expect.element(screen.getByText(changed, { exact: true })).toBeVisible()
    await expect.element(screen.getByText(unchanged, { exact: true })).toBeVisible()
    await expectAccessible()
    await userEvent.keyboard('w')
    await expect.element(screen.getByText(t('wholeChangeHint'))).toBeVisible()
    await expect.poll(inserted).toEqual(['Line three of the note.', 'Line twenty-five of the note.'])
    await userEvent.keyboard('w')
    await expect.element(screen.getByText(t('sinceReviewHint'))).toBeVisible()
    expect(approvals(screen)).toEqual([])
  })

  it('and answered: is not approved by the first key over what changed alone', async () => {
    const screen = await openAnswer()
    await expect.element(screen.getByText(t('sinceReviewHint'))).toBeVisible()
    await userEvent.keyboard('a')
    await expect.element(screen.getByText(t('wholeUnseen', { total: 2 }))).toBeVisible()
    expect(approvals(screen)).toEqual([])
    await userEvent.keyboard('a')
    await expect.element(screen.getByRole('heading', { name: aProposal(2).summary })).toBeVisible()
    await expect.poll(() => approvals(screen)).toEqual([idOf(1)])
  })

  it('and answered: is shown whole by the key that would approve, where the file has changed', async () => {
    const { freshness } = aProposal(1)
    const screen = await openAnswer({ freshness: freshness && { ...freshness, state: 'changed' } })
    await expect.element(screen.getByText(t('sinceReviewHint'))).toBeVisible()
    await userEvent.keyboard('a')
    await expect.element(screen.getByText(t('wholeShown'))).toBeVisible()
    await expect.element(screen.getByText(t('wholeChangeHint'))).toBeVisible()
    expect(approvals(screen)).toEqual([])
  })

  it('and answered: shows the whole while it is edited, and after that', async () => {
    const screen = await openAnswer()
    await expect.element(screen.getByText(t('sinceReviewHint'))).toBeVisible()
    await userEvent.keyboard('e')
    await expect.element(screen.getByRole('textbox', { name: new RegExp(PATH) })).toHaveFocus()
    await userEvent.keyboard('{Escape}')
    await expect.element(screen.getByText(t('wholeChangeHint'))).toBeVisible()
    await userEvent.keyboard('nh')
    await expect.element(screen.getByRole('region', { name: t('approveEdited') })).toBeVisible()
    await userEvent.keyboard('w')
    await expect.poll(inserted).toEqual(['Line twenty-five of the note.'])
    await expect.element(screen.getByText(t('wholeChangeHint'))).not.toBeInTheDocument()
    await screen.unmount()

    const again = await screen.render()
    await expect.element(again.getByRole('region', { name: t('approveEdited') })).toBeVisible()
    await expect.poll(inserted).toEqual(['Line twenty-five of the note.'])
  })

  it('and come back in vain: says so, and offers every command again', async () => {
    // Also one that was only taken along.
    const request = { ...aRequest(1), proposal_id: idOf(7) }
    const screen = await openWith({ request }, { change_request: 'inbox-1' })
    await expect.element(screen.getByText(t('changesReturned.completed'))).toBeVisible()
    await expect.element(screen.getByText(t('changesAnswer'))).not.toBeInTheDocument()
    await expect.element(screen.getByRole('link', { name: t('changesOpenRun') })).toBeVisible()
  })
})
