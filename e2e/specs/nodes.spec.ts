/** A Worker Node joins: the dialog's text through the real command line, a real heartbeat, and who sees what of it. */
import fs from 'node:fs'
import { gardenParts } from '../fixtures/garden-files.ts'
import { expect, test } from '../fixtures/test.ts'
import { FleetNode } from '../fleet/node.ts'
import { enterZone, OWNER_PASSWORD } from '../pages/auth.ts'
import { openPage } from '../pages/console.ts'
import { addNode } from '../pages/nodes.ts'
import { createZone } from '../pages/zones.ts'

const machines: FleetNode[] = []
test.afterEach(() => {
  for (const machine of machines.splice(0)) machine.remove()
})

const OPERATOR = { name: 'nadia', password: 'a long sentence of her own' }

test('a node is added by the dialog, joins by its text, and shows as online', async ({
  owner: page,
  guard,
  api,
}) => {
  await api.post('/auth/step-up', { password: OWNER_PASSWORD })
  const node = `attic-${Date.now()}`
  const machine = new FleetNode(node, {}, 3)
  machines.push(machine)
  const look = () => guard.check(page)
  const joinText = await addNode(page, { node, project: 'garden-seedling' }, look)
  const joined = await machine.run(['join', '--check'], joinText)
  expect(joined, joined.stderr).toMatchObject({ code: 0 })
  const file = machine.home.path('.claude-mem-minio/config.env')
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
  expect(fs.readFileSync(file, 'utf8')).toContain(node)
  const secret = /MEMBRIDGE_NODE_KEY='?([^'\n]+)/.exec(joinText)?.[1] ?? ''
  expect(secret).toMatch(/^gbk_/)
  expect(joined.stdout + joined.stderr).not.toContain(secret)
  await expect(page.getByRole('row').filter({ hasText: node })).toContainText('Online')
  expect(await page.content()).not.toContain(secret)
  await openPage(page, `/nodes/${node}`, node)
  await expect(page.getByRole('table', { name: 'Projects' })).toContainText('garden-seedling')
  await look()
})

test('an operator sees the nodes and cannot add one; a guest learns nothing of them', async ({
  owner,
  visit,
  api,
}) => {
  await api.post('/auth/step-up', { password: OWNER_PASSWORD })
  await api.post('/accounts', OPERATOR)
  const operator = await visit()
  await operator.goto('/sign-in?to=/nodes')
  await operator.getByLabel('Name').fill(OPERATOR.name)
  await operator.getByLabel('Password').fill(OPERATOR.password)
  await operator.getByRole('button', { name: 'Sign in' }).click()
  await expect(operator.getByRole('heading', { level: 1, name: 'Nodes' })).toBeVisible()
  await expect(operator.getByRole('button', { name: 'Add node' })).toHaveCount(0)

  const code = await createZone(owner, `Nodes ${Date.now()}`, gardenParts().folder)
  const guest = await visit()
  await enterZone(guest, code)
  await expect(guest.getByRole('link', { name: 'Nodes' })).toHaveCount(0)
  for (const address of ['/nodes', '/nodes/attic', '/api/v1/nodes'])
    expect((await guest.request.get(address)).status(), address).toBe(404)
})
