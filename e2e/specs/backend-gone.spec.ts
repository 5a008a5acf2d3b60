/**
 * The NotebookLM Backend goes away and comes back: what waits for it is tried again, gives up, and is requeued by a person. Most of its
 * time is real backoff, so it has an instance of its own beside the journey's.
 */
import { gardenQuestion } from '../fixtures/garden-files.ts'
import { expect, test } from '../fixtures/test.ts'
import { jobIn, LONG, requestJob, statesOf } from '../fixtures/work.ts'
import { openPage, press } from '../pages/console.ts'

const QUESTION = gardenQuestion()

test('the NotebookLM Backend is gone: retries with a countdown, DEAD, requeued singly and in bulk', async ({
  owner: page,
  api,
  guard,
  product,
}) => {
  await product.nlm.stop()
  const agents = ['research-librarian', 'link-gardener', 'orphan-scout']
  const ids = await Promise.all(agents.map((agent) => requestJob(api, agent, `${QUESTION} (${agent})`)))
  const [first = '', ...others] = ids
  await openPage(page, `/jobs/${first}`)
  const status = page.locator('header [data-status]').first()
  for (const seconds of [15, 30, 60]) {
    await expect(page.getByText(`backoff ${seconds} s`)).toBeVisible(LONG)
    await expect(status).toContainText(/Retry in \d+ s/)
  }
  await guard.check(page)
  await expect(status).toHaveText('Dead', LONG)
  await guard.check(page)
  const dead = await jobIn(api, first, 'DEAD')
  expect(dead.history.flatMap((h) => h.backoff_seconds ?? []).slice(0, 3)).toEqual([15, 30, 60])
  expect(statesOf(dead).slice(-2)).toEqual(['FAILED', 'DEAD'])
  expect(dead.error?.code).toBe('NLM_UNAVAILABLE')
  for (const id of others) await jobIn(api, id, 'DEAD')

  await product.nlm.start()
  await press(page, 'r')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('The backend is up again')
  await guard.check(page)
  await dialog.getByRole('button', { name: 'Requeue' }).click()
  // A watched job leads to its artifact when it completes; opened again, it stays.
  await expect(page).toHaveURL(/\/artifacts\/art-/, LONG)
  await openPage(page, `/jobs/${first}`)
  await expect(status).toHaveText('Complete')
  await expect(page.getByText('“The backend is up again”')).toBeVisible()

  await openPage(page, '/jobs?status=DEAD', 'Jobs')
  await page.getByRole('button', { name: 'Requeue all matching' }).click()
  await expect(dialog).toContainText(`Requeue ${others.length} jobs?`)
  await dialog.getByLabel('Reason').fill('All of them at once')
  await guard.check(page)
  await dialog.getByRole('button', { name: 'Requeue' }).click()
  for (const id of others) {
    const done = await jobIn(api, id, 'COMPLETE')
    expect(done.artifact_id).not.toBeNull()
    expect(done.requeue_count).toBe(1)
  }
})
