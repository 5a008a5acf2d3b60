/**
 * An agent asks what it lacks: its run waits over the death of its worker, is listed under Needs you, and goes on once with the answer that the owner gives on
 * the run's page.
 */
import type { Page } from '@playwright/test'
import type { RunDetail } from '#contracts/run.contract.ts'
import type { Api } from '../fixtures/api.ts'
import { gardenQuestion } from '../fixtures/garden-files.ts'
import { inLedger } from '../fixtures/ledger.ts'
import { expect, test } from '../fixtures/test.ts'
import { LONG, proposalIn, runIn } from '../fixtures/work.ts'
import { idOf, openPage, press } from '../pages/console.ts'
import { approve } from '../pages/proposals.ts'

test('a run asks, waits over a restart of the worker, and goes on once with the answer', async ({
  owner: page,
  api,
  guard,
  product,
}) => {
  const slug = `asker-${Date.now()}`
  await makeAgent(page, api, slug, product.home)
  const { body: asked } = await api.post<{ run_id: string }>(`/agents/${slug}/run`, { params: {} })
  const parked = await waiting(api, asked.run_id)

  await openPage(page, '/inbox', 'Inbox')
  const need = page.getByRole('listitem').filter({ hasText: `What should ${slug} look for?` })
  await expect(need.getByText('Expires in')).toBeVisible()
  await restartWorker(product.home)
  await need.getByRole('link', { name: /^Answer/ }).click()
  await page.waitForURL(/\/runs\//)
  await expect(page.getByText('Waiting for an answer')).toBeVisible()
  await guard.check(page)

  await page.getByLabel('Your answer').fill(gardenQuestion())
  await page.keyboard.press('Control+Enter')
  await expect(page.getByText('Answered by owner')).toBeVisible()
  await expect(page.getByText('Waiting for an answer')).toHaveCount(0, LONG)
  const done = await runIn(api, asked.run_id, 'completed')
  expect(done.proposals_created).toHaveLength(1)
  // One lease took it up for the answer, one for the job's.
  expect(done.fence).toBe(parked.fence + 2)
  await guard.check(page)
  await openPage(page, '/inbox', 'Inbox')
  await expect(need).toHaveCount(0)
  // Nobody after this is to be asked what this agent should look for.
  const [made] = done.proposals_created
  await api.post(`/proposals/${made?.proposal_id}/reject`, { decision_note: 'Made for this journey alone.' })
  await proposalIn(api, made?.proposal_id ?? '', 'REJECTED')
})

/** An active agent without instructions that may ask. */
async function makeAgent(page: Page, api: Api, slug: string, home: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await openPage(page, '/agents', 'Agents')
  await press(page, 'n')
  await dialog.getByLabel('Name').fill('Asker')
  await dialog.getByLabel('Slug').fill(slug)
  await dialog.getByLabel('Description').fill('Asks what to look for')
  await dialog.getByLabel('May ask questions').check()
  await dialog.getByRole('button', { name: 'Propose' }).click()
  await page.waitForURL(/\/proposals\/[^/]+$/)
  const id = idOf(page)
  await approve(page)
  await proposalIn(api, id, 'APPROVED')
  await inLedger(home, 'UPDATE proposal SET apply_not_before = now() WHERE proposal_id = $1', [id])
  await proposalIn(api, id, 'APPLIED')
  const activated = async () => (await api.post(`/agents/${slug}/activate`, {})).status
  await expect.poll(activated, LONG).toBe(200)
  await expect
    .poll(async () => (await api.get<{ status: string }>(`/agents/${slug}`)).body.status, LONG)
    .toBe('active')
}

/** The run, once it waits for a person. */
async function waiting(api: Api, id: string): Promise<RunDetail> {
  let run: RunDetail | undefined
  await expect
    .poll(async () => {
      run = (await api.get<RunDetail>(`/runs/${id}`)).body
      return run.waiting_on?.kind
    }, LONG)
    .toBe('question')
  return run as RunDetail
}

/** Kills the one worker and waits for the next to come up in its place. */
async function restartWorker(home: string): Promise<void> {
  const running =
    'SELECT worker_id, pid FROM worker_process WHERE stopped_at IS NULL ORDER BY started_at DESC LIMIT 1'
  const { rows } = await inLedger(home, running)
  process.kill(rows[0].pid, 'SIGKILL')
  await expect
    .poll(async () => (await inLedger(home, running)).rows[0]?.worker_id, LONG)
    .not.toBe(rows[0].worker_id)
}
