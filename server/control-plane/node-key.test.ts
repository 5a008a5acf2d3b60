/** A node under a key that was made in the console: its own heartbeat and nothing else. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '#domain/authority/caller.ts'
import { createKey } from '#server/keys/create-key.ts'
import { revokeKey } from '#server/keys/revoke-key.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { ADMIN_KEY, type ControlPlaneProcess, runControlPlane } from './testing/control-plane-process.ts'

const OWNER: Caller = { role: 'owner', identity: 'owner', via: 'console' }
const CID = 'aeeafec3a5b5710f'

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

async function keyOf(node_id: string) {
  const made = await createKey({ db: web }, { kind: 'node', node_id, name: 'x', expires_in_days: 1 }, OWNER)
  if (!made.ok) throw new Error(made.refusal.message)
  return made.value
}

async function beat(node_id: string, headers: Record<string, string>) {
  const answer = await fetch(`${plane.url}/agent/heartbeat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ node_id, canonical_id: CID }),
  })
  return { status: answer.status, body: await answer.json() }
}
const under = (secret: string) => ({ 'x-membridge-agent': secret })
const usesAdminKey = async (node: string) =>
  (
    await web.query<{
      admin_key: boolean
    }>(sql`SELECT (details ->> 'admin_key')::boolean AS admin_key FROM event
    WHERE resource_type = 'node' AND resource_id = ${`${CID}/${node}`} ORDER BY id DESC LIMIT 1`)
  ).rows[0]?.admin_key

test('a node beats under its own key, and that it no longer uses the admin key is recorded', async () => {
  const { key, secret } = await keyOf('rpi4b')
  expect((await beat('rpi4b', { 'x-membridge-admin': ADMIN_KEY })).status).toBe(200)
  expect(await usesAdminKey('rpi4b')).toBe(true)
  expect(await beat('rpi4b', under(secret))).toMatchObject({ status: 200, body: { ok: true } })
  expect(await usesAdminKey('rpi4b')).toBe(false)
  await revokeKey({ db: web }, key, OWNER)
  expect((await beat('rpi4b', under(secret))).status).toBe(401)
})

test('but for no other node, by no other key, and nothing else', async () => {
  const { secret } = await keyOf('alice')
  expect(await beat('bob', under(secret))).toMatchObject({
    status: 401,
    body: { detail: 'This key belongs to another node.' },
  })
  for (const headers of [under(`${secret}x`), under(ADMIN_KEY), under('')])
    expect(await beat('alice', headers)).toMatchObject({
      status: 401,
      body: { detail: 'Unauthorized — invalid or missing X-MEMBRIDGE-ADMIN header' },
    })
  expect((await beat('alice', { ...under(secret), 'x-membridge-admin': 'wrong' })).status).toBe(401)
  for (const path of [
    `/projects/${CID}/leadership`,
    '/projects',
    '/agents',
    '/jobs',
    `/projects/${CID}/nodes`,
  ])
    expect((await fetch(`${plane.url}${path}`, { headers: under(secret) })).status, path).toBe(401)
})

test('but of the grants of a project it sees its own', async () => {
  const at = `${plane.url}/projects/${CID}/grants`
  const grant = (node_id: string) =>
    fetch(at, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-membridge-admin': ADMIN_KEY },
      body: JSON.stringify({ node_id, override: 'FORCE_PUSH', ttl_seconds: 60, reason: 'stuck' }),
    })
  await Promise.all(['cedar', 'dogwood'].map(grant))
  const { secret } = await keyOf('cedar')
  const nodesOf = async (headers: Record<string, string>, query = '') => {
    const answer = await fetch(`${at}${query}`, { headers })
    return ((await answer.json()) as { node_id: string }[]).map(({ node_id }) => node_id).toSorted()
  }
  const admin = { 'x-membridge-admin': ADMIN_KEY }
  expect(await nodesOf(admin)).toEqual(['cedar', 'dogwood'])
  expect(await nodesOf(admin, '?node_id=dogwood')).toEqual(['dogwood'])
  expect(await nodesOf(under(secret))).toEqual(['cedar'])
  expect(await nodesOf(under(secret), '?node_id=dogwood')).toEqual([])
})
