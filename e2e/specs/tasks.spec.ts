/**
 * An LLM Task by hand: it waits while there is no worker and says so, a real node fetches it, its output is seen while it works, and its answer is an
 * artifact. An operator drains the node; a guest sees none of it.
 */
import fs from 'node:fs'
import path from 'node:path'
import type { Page } from '@playwright/test'
import { type EdgeWorker, nodeFolder, startEdgeWorker } from '../fixtures/edge-worker.ts'
import { expect, test } from '../fixtures/test.ts'
import { LONG } from '../fixtures/work.ts'
import { enterAsOperator, enterZone } from '../pages/auth.ts'
import { openPage, press } from '../pages/console.ts'
import { createZone } from '../pages/zones.ts'

test('a task waits, is fetched by a node, shows its output and ends as an artifact', async ({
  owner: page,
  api,
  guard,
  product,
  visit,
}) => {
  const folder = nodeFolder()
  const name = `node-${Date.now()}`
  const go = path.join(folder, 'go')
  let node: EdgeWorker | undefined
  try {
    await newTask(page, `Say what the garden says.\nafter ${go}`)
    await expect(page.getByText('Waiting for a free worker').first()).toBeVisible()
    // Other specs may have left nodes, none of which runs prompts.
    await expect(
      page.getByText(/No Worker Node is registered|No worker can take this task/).first(),
    ).toBeVisible()
    await guard.check(page)

    node = startEdgeWorker(product, folder, name)
    await expect(page.getByRole('link', { name }).first()).toBeVisible(LONG)
    await expect(page.getByText('working on it')).toBeVisible(LONG)
    await guard.check(page)
    fs.writeFileSync(go, '')
    await page.getByRole('link', { name: 'Open artifact' }).click()
    await expect(page.getByText('after all')).toBeVisible()
    await guard.check(page)

    const operator = await visit()
    await enterAsOperator(operator, api, { name: 'maria', password: 'a long sentence of hers 8' })
    await openPage(operator, '/workers', 'Workers')
    await operator.getByRole('button', { name: new RegExp(name) }).click()
    await expect(operator.getByRole('menuitem', { name: 'Remove', exact: true })).toHaveCount(0)
    await operator.getByRole('menuitem', { name: /^Drain/ }).click()
    const dialog = operator.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('A new disk')
    await dialog.getByRole('button', { name: /^Drain/ }).click()
    await expect(operator.getByText('A new disk').first()).toBeVisible()
    await guard.check(operator)
    await newTask(page, 'Once more.')
    await expect(page.getByText(/drained/i).first()).toBeVisible()

    const guest = await visit()
    await enterZone(guest, await createZone(page, `Readers of ${name}`, 'notes'))
    await guest.goto('/tasks')
    await expect(guest.getByText(name)).toHaveCount(0)
    await expect(guest.getByRole('link', { name: 'LLM Tasks' })).toHaveCount(0)
  } finally {
    await node?.kill()
    fs.rmSync(folder, { recursive: true, force: true })
  }
})

async function newTask(page: Page, prompt: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await openPage(page, '/tasks', 'LLM Tasks')
  await press(page, 'n')
  await dialog.getByLabel('Agent').fill('writer')
  await dialog.getByLabel('Context').fill('garden')
  await dialog.getByLabel('Prompt').fill(prompt)
  await dialog.getByRole('button', { name: 'Create task' }).click()
  await page.waitForURL(/\/tasks\/[^/]+$/)
}
