/**
 * The life of an agent that a person makes in the browser, of prose alone: proposed, activated, run, given a schedule, paused, archived and
 * deleted. Each change of its definition is one commit, and what is a proposal is decided like every other.
 */
import type { Page } from '@playwright/test'
import type { AgentDetail } from '#contracts/agent.contract.ts'
import type { RunPage } from '#contracts/run.contract.ts'
import type { Api } from '../fixtures/api.ts'
import { gardenQuestion } from '../fixtures/garden-files.ts'
import { commitsOf, git, hasGit } from '../fixtures/git.ts'
import { inLedger } from '../fixtures/ledger.ts'
import { expect, test } from '../fixtures/test.ts'
import { LONG, proposalIn, runIn } from '../fixtures/work.ts'
import { heading, idOf, openPage, press } from '../pages/console.ts'
import { approve, openProposal, statusOf } from '../pages/proposals.ts'

const PROSE = 'Answer from the notes, and propose what you find.'

test('an agent made of prose: activated, run, scheduled, paused, archived and deleted', async ({
  owner: page,
  api,
  guard,
  product,
}) => {
  const slug = `keeper-${Date.now()}`
  const dialog = page.getByRole('dialog')
  const openAgent = () => openPage(page, `/agents/${slug}`, 'Bed keeper')
  const command = (label: string, status: AgentDetail['status']) =>
    test.step(label, async () => {
      await openAgent()
      await page.getByRole('button', { name: 'Agent actions' }).click()
      await page.getByRole('menuitem', { name: label }).click()
      await dialog.getByRole('button', { name: label }).click()
      await expect(dialog).toHaveCount(0)
      await expect.poll(() => statusOfAgent(api, slug), LONG).toBe(status)
    })

  await openPage(page, '/agents', 'Agents')
  await press(page, 'n')
  await dialog.getByLabel('Name').fill('Bed keeper')
  await dialog.getByLabel('Slug').fill(slug)
  await dialog.getByLabel('Description').fill('Knows the beds')
  await dialog.getByLabel('Instructions').fill(PROSE)
  await expect(dialog.getByText('The definition is valid.')).toBeVisible()
  await guard.check(page)
  await dialog.getByRole('button', { name: 'Propose' }).click()
  const made = await decided(page, api, product.home)
  await expect.poll(() => statusOfAgent(api, slug), LONG).toBe('draft')

  await command('Activate', 'active')
  await openAgent()
  await press(page, 'r')
  await dialog.getByLabel('Question').fill(gardenQuestion())
  await dialog.getByRole('button', { name: 'Run', exact: true }).click()
  await page.waitForURL(/\/runs\//)
  const run = await runIn(api, idOf(page), 'completed')
  const proposed = run.proposals_created[0]?.proposal_id as string
  expect(proposed, 'a proposal of the run').toBeDefined()
  await openProposal(page, proposed)
  await approve(page)
  await proposalIn(api, proposed, 'APPROVED')

  await openAgent()
  await press(page, 'e')
  await dialog.getByLabel('Schedule').fill('* * * * *')
  await dialog.getByLabel('Time zone').fill('Europe/Kyiv')
  await expect(dialog.getByText('Next runs:')).toBeVisible()
  await guard.check(page)
  await dialog.getByRole('button', { name: 'Propose' }).click()
  const edited = await decided(page, api, product.home)
  await openAgent()
  await expect(page.getByText('Next run', { exact: false }).first()).toBeVisible()
  const byClock = await firstByClock(api, slug)
  await runIn(api, byClock, 'completed')

  await command('Pause', 'paused')
  // The clock may have come round once more before the pause.
  await expect.poll(() => openRunsOf(api, slug), LONG).toBe(0)
  await command('Archive', 'archived')
  await openAgent()
  await page.getByRole('button', { name: 'Agent actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete agent' }).click()
  const confirm = dialog.getByRole('button', { name: 'Propose deletion' })
  await expect(confirm).toBeDisabled()
  await dialog.getByRole('textbox').fill(slug)
  await confirm.click()
  const deleted = await decided(page, api, product.home)
  await openAgent()
  await expect(heading(page).locator('..')).toContainText('Deleted')
  await guard.check(page)

  if (!hasGit) return
  for (const id of [made, edited, deleted]) expect(commitsOf(product.home, id)).toHaveLength(1)
  const file = `agents/${slug}/_agent.md`
  const history = git(product.home, 'log', '--format=%s', '--', file).trim().split('\n')
  expect(history, history.join('\n')).toHaveLength(6)
})

/** Approves the proposal that the page has just gone to and waits for its commit; its id. */
async function decided(page: Page, api: Api, home: string): Promise<string> {
  await page.waitForURL(/\/proposals\/[^/]+$/)
  await expect(statusOf(page)).toHaveText('Pending')
  const id = idOf(page)
  await approve(page)
  await proposalIn(api, id, 'APPROVED')
  // Nobody takes it back, so the hold need not be sat out.
  await inLedger(home, 'UPDATE proposal SET apply_not_before = now() WHERE proposal_id = $1', [id])
  await proposalIn(api, id, 'APPLIED')
  return id
}

const statusOfAgent = async (api: Api, slug: string) =>
  (await api.get<AgentDetail>(`/agents/${slug}`)).body.status

/** How many runs of the agent have not ended. */
const openRunsOf = async (api: Api, slug: string) =>
  (await api.get<RunPage>(`/runs?agent=${slug}`)).body.items.filter((run) => run.finished_at === null).length

/** The first run that the schedule has started: a minute of waiting at the most. */
async function firstByClock(api: Api, slug: string): Promise<string> {
  let id: string | undefined
  await expect
    .poll(async () => {
      const { body } = await api.get<RunPage>(`/runs?agent=${slug}&trigger=cron`)
      id = body.items[0]?.run_id
      return id
    }, LONG)
    .toBeDefined()
  return id as string
}
