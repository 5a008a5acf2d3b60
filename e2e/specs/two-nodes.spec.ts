/**
 * Two machines with real agents and the store of the product: they join by the dialog's text, sync from their pages, and a push that was under way
 * when another node was promoted is refused; what only the old primary had is kept in its pinned backup.
 */
import fs from 'node:fs'
import path from 'node:path'
import type { Page } from '@playwright/test'
import { projectKeys } from '#domain/membridge/project-keys.ts'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { canonicalIdOf } from '#worker/edge/identity.ts'
import { titlesOf } from '#worker/edge/testing/memory-file.ts'
import type { PageGuard } from '../fixtures/page-guard.ts'
import type { Product } from '../fixtures/product.ts'
import { expect, test } from '../fixtures/test.ts'
import { LONG } from '../fixtures/work.ts'
import { FleetNode, type Running } from '../fleet/node.ts'
import { OWNER_PASSWORD } from '../pages/auth.ts'
import { openPage } from '../pages/console.ts'
import { addNode, registerAgent, syncFromPage } from '../pages/nodes.ts'

const PROJECT = 'hive'
const CID = canonicalIdOf(PROJECT)
const KEYS = projectKeys(CID)
/** So many that a push takes long enough to be stopped in its middle. */
const ROWS = 20_000
const UNPUSHED = { rows: 5, from: 900_000 }

const machines: { node: FleetNode; agent: Running }[] = []
test.afterEach(async () => {
  for (const { node, agent } of machines.splice(0)) {
    agent.child.kill('SIGTERM')
    await agent.ended
    node.remove()
  }
})

/** A machine with so many records that has joined by the dialog's text, whose agent runs and is registered. */
async function addMachine(page: Page, name: string, rows: number): Promise<FleetNode> {
  const env = { MEMBRIDGE_AGENT_PORT: '0', MEMBRIDGE_HEARTBEAT_INTERVAL_SECONDS: '1' }
  const node = new FleetNode(name, env, rows)
  const joinText = await addNode(page, { node: name, project: PROJECT })
  const joined = await node.run(['join', '--check'], joinText)
  expect(joined, joined.stderr).toMatchObject({ code: 0 })
  const agent = node.start(['agent'])
  machines.push({ node, agent })
  await registerAgent(page, name, `http://127.0.0.1:${await portOf(agent)}`)
  return node
}

/** Where it listens, by the line with which it says that it does. */
function portOf({ said }: Running): Promise<string> {
  const port = () => /"msg":"ready".*"port":(\d+)/.exec(said())?.[1]
  return waitUntil(port, { timeoutMs: 30_000, what: 'the agent' })
}

/** A push of the command line that is stopped once it has the Push Lock. */
async function stoppedPush(node: FleetNode, { home }: Product): Promise<Running> {
  const store = await openDirectoryStore(path.join(home, 'objects'))
  const lockNow = async () => Buffer.from((await store.get(KEYS.lock))?.bytes ?? []).toString()
  const [before, pointer] = [await lockNow(), (await store.get(KEYS.pointer))?.etag]
  const pushing = node.start(['push'])
  const taken = async () => {
    const lock = await lockNow()
    return lock !== before && JSON.parse(lock).released !== true
  }
  while (!(await taken())) expect(pushing.child.exitCode, 'the push ended too early').toBeNull()
  pushing.child.kill('SIGSTOP')
  expect((await store.get(KEYS.pointer))?.etag, 'nothing is committed yet').toBe(pointer)
  return pushing
}

/** Promotes on the project's page over a push that is under way; the dialog says what the shared copy will lack. */
async function promote(page: Page, guard: PageGuard): Promise<void> {
  await openPage(page, `/leadership/${CID}`, PROJECT)
  await page.getByRole('button', { name: 'Promote birch' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('5 records of alder were never pushed')
  await expect(dialog).toContainText(/alder has been pushing for/)
  await guard.check(page)
  await dialog.getByLabel('Interrupt the push and promote anyway (force)').check()
  await dialog.getByLabel('Type “birch” to confirm').fill('birch')
  await dialog.getByLabel('Reason').fill('alder hangs in a push')
  await dialog.getByRole('button', { name: 'Promote birch' }).click()
  await expect(dialog).toHaveCount(0, LONG)
  await expect(page.getByText('birch is primary')).toBeVisible()
}

test('a promotion refuses the push that was under way, and nothing of the old primary is lost', async ({
  owner: page,
  guard,
  api,
  product,
}) => {
  await api.post('/auth/step-up', { password: OWNER_PASSWORD })
  const alder = await addMachine(page, 'alder', ROWS)
  const birch = await addMachine(page, 'birch', 0)
  const address = `/membridge/projects/${CID}/leadership/select`
  const first = { primary_node_id: 'alder', expected_epoch: 0, reason: 'alder has all records' }
  expect((await api.post(address, first)).status).toBe(200)
  const sync = (node: FleetNode, action: 'Push' | 'Pull') =>
    syncFromPage(page, { node: node.id, project: PROJECT, action })

  await expect(await sync(alder, 'Push')).toContainText('Completed', LONG)
  await expect(await sync(birch, 'Pull')).toContainText('Completed', LONG)
  expect(titlesOf(birch.database)).toEqual(titlesOf(alder.database))
  await guard.check(page)

  alder.write(UNPUSHED.rows, UNPUSHED.from)
  await openPage(page, '/nodes/alder', 'alder')
  const count = (ROWS + UNPUSHED.rows).toLocaleString('en')
  await expect(page.getByRole('table', { name: 'Projects' })).toContainText(count, LONG)
  const pushing = await stoppedPush(alder, product)
  await api.post('/auth/step-up', { password: OWNER_PASSWORD })
  await promote(page, guard)
  pushing.child.kill('SIGCONT')
  const refused = await pushing.ended
  expect(refused.code).not.toBe(0)
  expect(refused.stdout + refused.stderr).toContain('STALE TERM')

  // The old primary's pull stops at what only it has; accepted, the backup keeps that.
  await expect(await sync(alder, 'Pull')).toContainText('Failed', LONG)
  const pulled = await alder.run(['pull', '--accept-local-loss'])
  expect(pulled, pulled.stderr).toMatchObject({ code: 0 })
  const own = `title ${UNPUSHED.from}`
  expect(titlesOf(alder.database)).not.toContain(own)
  const backups = alder.home.path('.claude-mem/backups/pull-overwrite')
  const [backup = '', ...more] = fs.readdirSync(backups)
  expect(more).toEqual([])
  expect(titlesOf(path.join(backups, backup, 'claude-mem.db'))).toContain(own)
  await expect(await sync(birch, 'Push')).toContainText('Completed', LONG)
})
