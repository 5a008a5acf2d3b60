/** A Worker Node joins: the dialog's text through the real command line, a real heartbeat, and who sees what of it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gardenParts } from '../fixtures/garden-files.ts'
import { expect, test } from '../fixtures/test.ts'
import { enterZone, OWNER_PASSWORD } from '../pages/auth.ts'
import { openPage } from '../pages/console.ts'
import { createZone } from '../pages/zones.ts'

const OPERATOR = { name: 'nadia', password: 'a long sentence of her own' }

/** `membridge …` of this checkout with a home of its own, the text on its input. */
async function membridge(
  home: string,
  words: string[],
  input: string,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, ['worker/edge/main.ts', ...words], {
    env: { ...process.env, HOME: home, MEMBRIDGE_CONFIG_ENV: path.join(home, 'config.env') },
    stdio: ['pipe', 'pipe', 'pipe'],
    // Without a terminal of its own: the text comes from the input.
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stdin.end(input)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}

test('a node is added by the dialog, joins by its text, and shows as online', async ({
  owner: page,
  guard,
  api,
}) => {
  await api.post('/auth/step-up', { password: OWNER_PASSWORD })
  const node = `attic-${Date.now()}`
  await openPage(page, '/nodes', 'Nodes')
  await guard.check(page)
  await page.getByRole('button', { name: 'Add node' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Node').fill(node)
  await dialog.getByLabel('Project').fill('garden-seedling')
  await dialog.getByRole('button', { name: 'Add node' }).click()
  const text = dialog.getByRole('region', { name: 'Node settings' })
  await expect(text).toContainText('MEMBRIDGE_NODE_KEY=')
  await guard.check(page)
  const config = `${(await text.innerText()).trimEnd()}\n`
  const home = await mkdtemp(path.join(tmpdir(), 'node-'))
  try {
    const joined = await membridge(home, ['join', '--check'], config)
    expect(joined, joined.output).toMatchObject({ code: 0 })
    const file = path.join(home, 'config.env')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readFile(file, 'utf8')).toContain(node)
    const secret = /MEMBRIDGE_NODE_KEY='?([^'\n]+)/.exec(config)?.[1] ?? ''
    expect(secret).toMatch(/^gbk_/)
    expect(joined.output).not.toContain(secret)
    await dialog.getByRole('button', { name: 'Copy text' }).click()
    await dialog.getByRole('button', { name: 'Done' }).click()
    // Without a clipboard the dialog warns first.
    if (await dialog.isVisible()) await dialog.getByRole('button', { name: 'Done' }).click()
    await expect(page.getByRole('row').filter({ hasText: node })).toContainText('Online')
    expect(await page.content()).not.toContain(secret)
    await openPage(page, `/nodes/${node}`, node)
    await expect(page.getByRole('table', { name: 'Projects' })).toContainText('garden-seedling')
    await guard.check(page)
  } finally {
    await rm(home, { recursive: true, force: true })
  }
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
