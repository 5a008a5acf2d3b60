/**
 * The NotebookLM Backend goes away and comes back: what waits for it is tried again, gives up, and is requeued by a person; its alert opens,
 * is told to a webhook and closes by itself. Much of its time is real backoff, so it has an instance of its own beside the journey's; the
 * longest backoff is ended in the ledger once its countdown and the alert were seen.
 */
import type { AlertDetail, AlertPage } from '#contracts/alert.contract.ts'
import type { JobDetail } from '#contracts/job.contract.ts'
import type { Api } from '../fixtures/api.ts'
import { gardenFolder, gardenQuestion } from '../fixtures/garden-files.ts'
import { inLedger } from '../fixtures/ledger.ts'
import { startProduct } from '../fixtures/product.ts'
import { test as base, expect } from '../fixtures/test.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../fixtures/webhook-receiver.ts'
import { jobIn, LONG, requestJob, statesOf } from '../fixtures/work.ts'
import { openPage, press } from '../pages/console.ts'

const QUESTION = gardenQuestion()
const START_MS = 900_000

const test = base.extend<object, { hook: WebhookReceiver }>({
  hook: [
    async ({ browserName: _browser }, use) => {
      const hook = await startWebhookReceiver()
      await use(hook)
      await hook.stop()
    },
    { scope: 'worker' },
  ],
  product: [
    async ({ hook }, use) => {
      const product = await startProduct({ garden: gardenFolder().given, env: hook.env })
      await use(product)
      await product.stop()
    },
    { scope: 'worker', timeout: START_MS },
  ],
})

/** The one alert about the backend, with the messages about it. */
async function alertOf(api: Api): Promise<AlertDetail | undefined> {
  const { items } = (await api.get<AlertPage>('/alerts')).body
  const found = items.filter(({ rule }) => rule === 'NlmDown')
  expect(found.length).toBeLessThan(2)
  return found[0] && (await api.get<AlertDetail>(`/alerts/${found[0].alert_id}`)).body
}

/** Waits for the third backoff, and is its end. */
async function endLastBackoff(api: Api, home: string, id: string): Promise<void> {
  const backoffs = async () =>
    (await api.get<JobDetail>(`/jobs/${id}`)).body.history.flatMap((h) => h.backoff_seconds ?? [])
  await expect.poll(backoffs, LONG).toEqual([15, 30, 60])
  await inLedger(home, 'UPDATE job SET not_before = now() WHERE job_id = $1 AND not_before > now()', [id])
}

test('the NotebookLM Backend is gone: retries with a countdown, DEAD, an alert, requeued singly and in bulk', async ({
  owner: page,
  api,
  guard,
  product,
  hook,
}) => {
  await product.nlm.stop()
  const agents = ['research-librarian', 'link-gardener', 'orphan-scout']
  const ids = await Promise.all(agents.map((agent) => requestJob(api, agent, `${QUESTION} (${agent})`)))
  const [first = '', ...others] = ids
  await openPage(page, `/jobs/${first}`)
  const status = page.locator('header [data-status]').first()
  for (const seconds of [15, 30, 60]) {
    await expect(page.getByText(`backoff ${seconds} s`, { exact: true })).toBeVisible(LONG)
    await expect(status).toContainText(/Retry in \d+ s/)
  }
  // Opened for as long as nothing answers; the last attempts then make it worse.
  await expect.poll(async () => (await alertOf(api))?.severity, LONG).toBe('warning')
  await guard.check(page)
  for (const id of ids) await endLastBackoff(api, product.home, id)
  await expect(status).toHaveText('Dead', LONG)
  await guard.check(page)
  const dead = await jobIn(api, first, 'DEAD')
  expect(dead.history.flatMap((h) => h.backoff_seconds ?? []).slice(0, 3)).toEqual([15, 30, 60])
  expect(statesOf(dead).slice(-2)).toEqual(['FAILED', 'DEAD'])
  expect(dead.error?.code).toBe('NLM_UNAVAILABLE')
  for (const id of others) await jobIn(api, id, 'DEAD')

  await openPage(page, '/alerts', 'Alerts')
  const alert = page.getByRole('row').filter({ hasText: 'NotebookLM backend failing' })
  await expect(alert).toContainText('Critical')
  await guard.check(page)
  await openPage(page, `/jobs/${first}`)

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

  // It answers and most of its calls are answered: the alert closes, and each change of it was told once.
  await Promise.all(
    [1, 2, 3, 4].flatMap((n) => agents.map((agent) => requestJob(api, agent, `${QUESTION} (${n})`))),
  )
  await expect.poll(async () => (await alertOf(api))?.status, LONG).toBe('closed')
  const told = () => hook.messagesOf('NlmDown').map(({ eventType }) => eventType)
  await expect.poll(told).toEqual(['incident.opened', 'incident.escalated', 'incident.resolved'])
  expect(hook.refused).toEqual([])
  const closed = await alertOf(api)
  expect(closed?.deliveries.map(({ status, attempts }) => [status, attempts])).toEqual(
    Array(3).fill(['delivered', 1]),
  )
  await openPage(page, `/alerts/${closed?.alert_id}`)
  await expect(page.locator('header [data-status]').last()).toHaveText('Closed')
  await guard.check(page)
})
