/** The owner replays a run from its third step by keys, finds what it reused, and compares the two. */
import type { RunDetail } from '#contracts/run.contract.ts'
import { gardenQuestion } from '../fixtures/garden-files.ts'
import { expect, test } from '../fixtures/test.ts'
import { LONG, runIn } from '../fixtures/work.ts'
import { askLibrarian, phaseRow, runStatus } from '../pages/runs.ts'

test('a run is replayed from step 03 and compared with the first', async ({ owner: page, api, guard }) => {
  const source = await askLibrarian(page, gardenQuestion())
  await expect(runStatus(page)).toHaveText('Completed', LONG)
  const before = await runIn(api, source, 'completed')

  await page.keyboard.press('f')
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('No tool calls, jobs, or model tokens are used.')).toBeVisible()
  await guard.check(page)
  await dialog.getByLabel('Reason').fill('To see whether it holds.')
  await dialog.getByRole('button', { name: 'Rerun', exact: true }).click()
  await page.waitForURL((url) => /\/runs\/run_/.test(url.pathname) && !url.pathname.endsWith(source))
  await expect(runStatus(page)).toHaveText('Completed', LONG)
  await expect(phaseRow(page, 'Execute agent')).toContainText('Reused')
  await expect(page.getByText('Rerun of').first()).toBeVisible()
  await guard.check(page)

  const replay = page.url().split('/').at(-1) ?? ''
  const after = await runIn(api, replay, 'completed')
  const ids = ({ proposals_created }: RunDetail) => proposals_created.map(({ proposal_id }) => proposal_id)
  expect(ids(after)).toEqual(ids(before))
  for (const step of [1, 2])
    expect((await api.get(`/runs/${replay}/steps/${step}`)).body).toEqual(
      (await api.get(`/runs/${source}/steps/${step}`)).body,
    )

  await page.keyboard.press('d')
  await page.getByRole('dialog').getByRole('link').first().click()
  await page.waitForURL(/\/runs\/compare\?a=.*&b=.*/)
  await expect(page.getByText('First difference: step 3')).toBeVisible()
  await guard.check(page)
  await page.keyboard.press('f')
  await expect(page.locator('[data-first-difference]')).toBeFocused()
})
