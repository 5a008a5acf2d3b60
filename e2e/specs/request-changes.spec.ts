/**
 * The owner sends a proposal back to its agent: comments on its lines, kept over a reload, sent once. The agent runs once, and its new proposal
 * opens on what it changed.
 */
import type { ChangeRequestView } from '#contracts/change-request.contract.ts'
import type { RunDetail } from '#contracts/run.contract.ts'
import { gardenQuestion } from '../fixtures/garden-files.ts'
import { expect, test } from '../fixtures/test.ts'
import { LONG, proposalIn, proposalOfAgent, runIn } from '../fixtures/work.ts'
import { press } from '../pages/console.ts'
import { openProposal, review } from '../pages/proposals.ts'

test('comments on lines are one run and one successor, opened on what changed since the review', async ({
  owner: page,
  api,
  guard,
}) => {
  const { proposal_id: id } = await proposalOfAgent(api, gardenQuestion())
  await openProposal(page, id)
  const lines = review(page).getByRole('button', { name: /^Comment on line \d+$/ })
  await expect(lines.nth(2)).toBeAttached()
  const commented = ['Say when it is watered.', 'Name the bed.', 'Shorter, please.']
  await lines.first().focus()
  for (const body of commented) {
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.keyboard.type(body)
    await page.keyboard.press('Escape')
  }
  await page.reload()
  const form = page.getByRole('region', { name: 'Request changes' })
  await expect(form.getByRole('status')).toHaveText('3 comments on 1 file')
  await guard.check(page)
  await press(page, 'q')
  await expect(form.getByRole('textbox')).toBeFocused()
  await page.keyboard.type('The journal has it.')
  await page.keyboard.press('Control+Enter')
  await expect(page.getByText(/^Changes requested\. /)).toBeVisible()

  const request = async () =>
    (await api.get<ChangeRequestView>(`/proposals/${id}/change-request`)).body.request
  const runId = (await request())?.run_id ?? ''
  const run = await runIn(api, runId, 'completed')
  const old = await proposalIn(api, id, 'DISCARDED')
  const answer = old.lineage.superseded_by ?? ''
  expect(run.proposals_created.map((p) => p.proposal_id)).toEqual([answer])
  expect((await request())?.comments.map(({ body }) => body)).toEqual(commented)
  const { body: runs } = await api.get<{ items: RunDetail[] }>('/runs?agent=research-librarian')
  expect(runs.items.filter(({ requested_at }) => requested_at >= run.requested_at)).toHaveLength(1)

  await openProposal(page, answer)
  await expect(page.getByText('This proposal answers the changes you requested.')).toBeVisible(LONG)
  await expect(page.getByText('Approving applies the whole change.', { exact: false })).toBeVisible()
  await expect(review(page).getByText('Name the bed.')).toBeVisible()
  await guard.check(page)
  await press(page, 'w')
  await expect(page.getByText('The whole change, as it is approved.')).toBeVisible()
})
