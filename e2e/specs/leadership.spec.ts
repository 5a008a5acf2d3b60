/**
 * Leadership in the browser: an operator promotes a node with everything stated, a page that was opened before hears who won and is refused, and
 * a guest finds nothing of it.
 */
import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import type { Api } from '../fixtures/api.ts'
import { gardenParts } from '../fixtures/garden-files.ts'
import type { Product } from '../fixtures/product.ts'
import { expect, test } from '../fixtures/test.ts'
import { LONG } from '../fixtures/work.ts'
import { enterAsOperator, enterZone } from '../pages/auth.ts'
import { openPage, press } from '../pages/console.ts'
import { createZone } from '../pages/zones.ts'

const CID = 'aeeafec3a5b5710f'
const PROJECT = `/leadership/${CID}`
const OPERATOR = { name: 'olena', password: 'a long sentence of her own 7' }

test('an operator promotes, a stale page is refused with who won, a guest sees nothing', async ({
  owner,
  visit,
  api,
  guard,
  product,
}) => {
  for (const [node, count] of [
    ['alder', 112],
    ['birch', 100],
  ] as const)
    await beat(product, node, count)
  const operator = await visit()
  await enterAsOperator(operator, api, OPERATOR)
  expect((await promote(api, { primary_node_id: 'alder', expected_epoch: 0 })).status).toBe(200)

  await openPage(owner, PROJECT, 'garden-seedling')
  await press(owner, 'p')
  const stale = owner.getByRole('dialog')
  await stale.getByLabel('New primary').selectOption('birch')
  await fill(owner, 'birch')

  await openPage(operator, '/leadership', 'Leadership')
  await operator.getByRole('row', { name: /garden-seedling/ }).click()
  await operator.waitForURL((url) => url.pathname === PROJECT)
  await operator.getByRole('button', { name: 'Promote birch' }).click()
  const dialog = operator.getByRole('dialog')
  // Nothing was pushed yet, so all that alder holds would be left out.
  await expect(dialog).toContainText('112 records of alder were never pushed')
  await guard.check(operator)
  await fill(operator, 'birch')
  await dialog.getByRole('button', { name: 'Promote birch' }).click()
  // Signing in was the password of the last five minutes.
  await expect(dialog).toHaveCount(0, LONG)
  await expect(operator.getByText('birch is primary')).toBeVisible()
  await expect(operator.getByRole('list', { name: 'History' })).toContainText('operator')
  await guard.check(operator)

  await expect(stale).toContainText('birch is primary now (epoch 2)', LONG)
  await expect(stale.getByRole('button', { name: 'Promote birch' })).toHaveAttribute('aria-disabled', 'true')
  const refused = await promote(api, { primary_node_id: 'alder', expected_epoch: 1 })
  expect(refused).toMatchObject({
    status: 409,
    body: { error: { code: 'EPOCH_STALE', details: { lease: { primary_node_id: 'birch', epoch: 2 } } } },
  })
  await owner.keyboard.press('Escape')

  const code = await createZone(owner, `Leaves ${Date.now()}`, gardenParts().folder)
  const guest = await visit()
  await enterZone(guest, code)
  for (const path of ['/leadership', PROJECT]) expect((await guest.goto(path))?.status(), path).toBe(404)
  const asked = await guest.request.get('/api/v1/membridge/leadership', { headers: { 'x-garden': '1' } })
  expect(asked.status()).toBe(404)
})

async function fill(page: Page, node: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(`Type “${node}” to confirm`).fill(node)
  await dialog.getByLabel('Reason').fill('alder is being repaired')
}

const promote = (api: Api, more: object) =>
  api.post(`/membridge/projects/${CID}/leadership/select`, { reason: 'as the journey has it', ...more })

/** A heartbeat as a node sends it, under the admin key. */
async function beat({ home, controlPlane }: Product, node_id: string, obs_count: number): Promise<void> {
  const { MEMBRIDGE_ADMIN_KEY } = JSON.parse(await readFile(`${home}/secrets.json`, 'utf8'))
  const answer = await fetch(`${controlPlane}/agent/heartbeat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-membridge-admin': MEMBRIDGE_ADMIN_KEY },
    body: JSON.stringify({ node_id, canonical_id: CID, project_id: 'garden-seedling', obs_count }),
  })
  expect(answer.status).toBe(200)
}
