/** A node that needs a grant asks the control plane, a process of its own, for one. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ADMIN_KEY,
  type ControlPlaneProcess,
  runControlPlane,
} from '#server/control-plane/testing/control-plane-process.ts'
import { createKey } from '#server/keys/create-key.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { CID, KEYS, makeFolderStore, makeSyncNode, objectJson } from '../testing/sync-kit.ts'

let database: TestDatabase
let web: Database
let plane: ControlPlaneProcess
beforeAll(async () => {
  database = await createTestDatabase()
  web = openDatabase(database.webUrl)
  plane = await runControlPlane({ DATABASE_URL: database.controlPlaneUrl })
})
afterAll(async () => {
  await plane?.stop()
  await web?.close()
  await database?.drop()
})

async function grant(node_id: string, override: string): Promise<string> {
  const answer = await fetch(`${plane.url}/projects/${CID}/grants`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-membridge-admin': ADMIN_KEY },
    body: JSON.stringify({ node_id, override, ttl_seconds: 60, reason: 'stuck' }),
  })
  return ((await answer.json()) as { grant_id: string }).grant_id
}

test('an override is used under a grant of this node for it, which its audit object names', async () => {
  const { store, settings } = await makeFolderStore()
  const node = makeSyncNode({ ...settings, MEMBRIDGE_SERVER_URL: plane.url }, 'a')
  const made = await createKey(
    { db: web },
    { kind: 'node', node_id: 'a', name: 'x', expires_in_days: 1 },
    { role: 'owner', identity: 'owner', via: 'console' },
  )
  const MEMBRIDGE_NODE_KEY = made.ok ? made.value.secret : ''
  const push = (key: Record<string, string>) =>
    node.run(['push'], { env: { FORCE_PUSH: '1', MEMBRIDGE_REQUIRE_GRANT: '1', ...key } })
  const refused = async (key: Record<string, string>, why: RegExp) => {
    expect(await push(key)).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(why) })
    expect((await store.list('')).keys).toEqual([])
  }
  await refused(
    {},
    /^ERROR: FORCE_PUSH=1 needs a grant .*set MEMBRIDGE_NODE_KEY and run membridge push again/,
  )
  await refused({ MEMBRIDGE_ADMIN_KEY: 'wrong' }, /confirms none \(Unauthorized — .*\): see membridge doctor/)
  await grant('b', 'FORCE_PUSH')
  await grant('a', 'ALLOW_SECONDARY_PUSH')
  const none =
    /and a has none for mem: have it granted by POST http:\S+\/projects\/\w+\/grants, and run membridge push/
  await refused({ MEMBRIDGE_NODE_KEY }, none)
  await refused({ MEMBRIDGE_ADMIN_KEY: ADMIN_KEY }, none)
  const id = await grant('a', 'FORCE_PUSH')
  expect(await push({ MEMBRIDGE_NODE_KEY })).toMatchObject({ exitCode: 0 })
  const { keys } = await store.list(KEYS.audits)
  const reasons = await Promise.all(keys.map(async (key) => (await objectJson(store, key)).reason))
  expect(reasons).toContain(`FORCE_PUSH, grant ${id}`)
  expect(await push({ MEMBRIDGE_ADMIN_KEY: ADMIN_KEY })).toMatchObject({ exitCode: 0 })
})
