import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ADMIN_KEY, runControlPlane } from '#server/control-plane/testing/control-plane-process.ts'
import { sendTo } from '#server/control-plane/testing/wire-client.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { removeWorker } from './manage-worker.ts'
import { markWorkersOffline } from './register-worker.ts'
import { listWorkers } from './runtime-lists.query.ts'
import { RUNTIME } from './runtime-rows.ts'
import { register } from './testing/runtime-room.ts'
import { type Behaviour, type Said, type StandIn, standIn } from './testing/stand-in-server.ts'
import { updateWorkers } from './update-workers.ts'

const KEY = 'admin-key-of-a-test'
let base: TestDatabase
let database: Database
let owner: Database
let plane: StandIn
beforeAll(async () => {
  base = await createTestDatabase()
  // Under the rights of the worker, which is who does it.
  database = openDatabase(base.workerUrl)
  owner = openDatabase(base.url)
})
afterAll(async () => {
  await Promise.all([database?.close(), owner?.close()])
  await base?.drop()
})
beforeEach(async () => {
  plane = await standIn()
  await owner.pool.query(`TRUNCATE worker_node CASCADE; UPDATE runtime_config SET read_at = NULL, tested_at = NULL, tested_url = NULL, fault = NULL, message = NULL,
    consecutive_failures = 0, last_success_at = NULL`)
  return () => plane.close()
})

const update = async (url = plane.url) => {
  await owner.pool.query('UPDATE runtime_config SET read_at = NULL')
  return updateWorkers(partsFor(url))
}
const partsFor = (url: string, key = KEY) => ({
  db: database,
  env: {
    ...{
      MEMBRIDGE_URL: url,
      MEMBRIDGE_ADMIN_KEY: key,
      BLOOM_SESSION_KEY: 's'.repeat(43),
      ALLOW_INSECURE_LAN: false,
    },
  } as Parameters<typeof updateWorkers>[0]['env'],
  wait: async () => undefined,
})
const workers = async () => new Map((await listWorkers(database)).map((worker) => [worker.name, worker]))
const worker = async (name: string) => (await workers()).get(name)
const now = () => Date.now() / 1_000
const config = async () =>
  (
    await database.query<{ fault: string | null; consecutive_failures: number }>(
      sql`SELECT fault, consecutive_failures, last_success_at IS NOT NULL AS answered FROM runtime_config`,
    )
  ).rows[0]
const eventsOf = async (name: string) =>
  (
    await database.query<{ outcome: string; details: object }>(
      sql`SELECT outcome, details FROM event WHERE name = ${name} ORDER BY id`,
    )
  ).rows

/** A control plane that has this; agents and nodes were heard `heard` seconds ago. */
const has =
  (agents: unknown[], nodes: Record<string, object[]> = {}): Behaviour =>
  ({ at, headers }): Said => {
    if (headers['x-membridge-admin'] !== KEY) return { status: 401, body: { detail: 'Unauthorized' } }
    if (at === 'GET /agents') return { body: agents }
    if (at === 'GET /projects') return { body: Object.keys(nodes).map((canonical_id) => ({ canonical_id })) }
    const cid = /^GET \/projects\/([^/]+)\/nodes$/.exec(at)?.[1]
    return cid === undefined ? { status: 404 } : { body: nodes[decodeURIComponent(cid)] ?? [] }
  }
const CAN = { claude_cli: true, max_concurrency: 2, labels: ['gpu'] }
const agent = (name: string, more: object = {}) => ({
  ...{ name, url: `http://${name}.test:8001`, status: 'online', registered_at: now() - 500 },
  ...{ last_seen: now() - 2, capabilities: CAN, ...more },
})
const node = (node_id: string, more: object = {}) => ({
  ...{
    node_id,
    canonical_id: 'c1',
    registered_at: now() - 500,
    last_seen: now() - 2.25,
    ip_addrs: ['10.0.0.7'],
  },
  ...{ agent_version: null, online: true, ...more },
})

describe('what the control plane has', () => {
  test('are workers: an agent with what it can do, a node that declares nothing without', async () => {
    plane.behave(has([agent('rpi')], { c1: [node('rpi'), node('alpine')], 'c/2': [node('alpine')] }))
    expect(await update()).toBe(2)
    const found = await workers()
    expect(found.get('rpi')).toMatchObject({
      ...{ url: 'http://rpi.test:8001', status: 'online', ip_addrs: ['10.0.0.7'], capabilities: CAN },
    })
    expect(found.get('alpine')).toMatchObject({
      ...{ url: null, status: 'online', capabilities: { claude_cli: false, max_concurrency: 1, labels: [] } },
      registered_at: null,
    })
    expect(await eventsOf('worker.registered')).toMatchObject([
      { details: { name: 'alpine', source: 'control_plane' } },
      { details: { name: 'rpi', source: 'control_plane' } },
    ])
    // Again is nothing new.
    expect(await update()).toBe(0)
    expect((await workers()).size).toBe(2)
  })

  test('is taken as it changes, and as it is away and comes back', async () => {
    plane.behave(has([agent('rpi', { last_seen: now() - 300 })]))
    await update()
    expect(await worker('rpi')).toMatchObject({ status: 'offline' })
    await markWorkersOffline({ db: database })
    expect((await worker('rpi'))?.offline_at).not.toBeNull()
    plane.behave(has([agent('rpi')]))
    await update()
    const { last_heartbeat, ...back } = (await worker('rpi')) ?? {}
    expect(back).toMatchObject({ status: 'online', offline_at: null })
    // What comes with an older time changes what it can do, not when it was there.
    const changed = {
      url: 'http://rpi.test:9001',
      capabilities: { ...CAN, labels: [] },
      last_seen: now() - 40,
    }
    plane.behave(has([agent('rpi', changed)]))
    await update()
    expect(await worker('rpi')).toMatchObject({
      ...{ url: 'http://rpi.test:9001', capabilities: { labels: [] }, status: 'online', last_heartbeat },
    })
  })

  test('of odd forms is taken as far as it can be read', async () => {
    const odd = [
      ...[null, 7, 'rpi', {}, { name: 'two\nlines' }, { name: 'x'.repeat(129) }, { name: ' ' }],
      agent('ms', { last_seen: Date.now(), registered_at: null }),
      agent('bad', {
        url: 'file:///etc/passwd',
        capabilities: { claude_cli: 'yes', max_concurrency: 99.6, labels: 7 },
      }),
      { name: 'bare' },
    ]
    plane.behave(has(odd, { c1: [{ node_id: 'null', last_seen: null, ip_addrs: null }, { node_id: '' }] }))
    expect(await update()).toBe(4)
    const found = await workers()
    expect([...found.keys()].sort()).toEqual(['bad', 'bare', 'ms', 'null'])
    expect(found.get('ms')).toMatchObject({ status: 'online' })
    expect(found.get('bad')).toMatchObject({
      url: null,
      capabilities: { claude_cli: false, max_concurrency: 1 },
    })
    expect(found.get('bare')).toMatchObject({ status: 'offline', last_heartbeat: null })
  })
})

describe('what a worker says of itself stands', () => {
  const ITSELF = { role: 'node', identity: 'node:rpi', via: 'api' } as const
  test('where it is called, the control plane tells that it is there', async () => {
    const own = { name: 'rpi', url: 'http://own.test:8001', capabilities: { labels: ['own'] } }
    await register(database, own, ITSELF)
    await silentFor('rpi', 90)
    plane.behave(has([agent('rpi')], { c1: [node('rpi')] }))
    expect(await update()).toBe(0)
    expect(await worker('rpi')).toMatchObject({
      ...{
        url: 'http://own.test:8001',
        status: 'online',
        capabilities: { labels: ['own'] },
        ip_addrs: ['10.0.0.7'],
      },
    })
  })

  test('an older word does not undo it', async () => {
    await register(database, { name: 'rpi', url: 'http://own.test:8001', capabilities: {} }, ITSELF)
    const { last_heartbeat } = (await worker('rpi')) ?? {}
    plane.behave(has([agent('rpi', { last_seen: now() - 40 })]))
    await update()
    expect(await worker('rpi')).toMatchObject({ status: 'online', last_heartbeat })
  })

  test('one that fetches is there while it fetches, whatever else of its machine is heard', async () => {
    await register(database, { name: 'rpi', capabilities: {} })
    await silentFor('rpi', 90)
    plane.behave(has([agent('rpi')], { c1: [node('rpi')] }))
    await update()
    expect(await worker('rpi')).toMatchObject({ url: null, status: 'offline', ip_addrs: [] })
  })

  test('one whose address anybody may have said is as one that fetches, until it is registered there, too', async () => {
    const { url } = agent('rpi')
    await register(database, { name: 'rpi', url, capabilities: {} })
    await silentFor('rpi', 90)
    plane.behave(has([agent('rpi', { url: 'http://other.test:8001' })]))
    await update()
    expect(await worker('rpi')).toMatchObject({ url, callable: false, status: 'offline' })
    plane.behave(has([agent('rpi')]))
    await update()
    expect(await worker('rpi')).toMatchObject({ url, callable: true, status: 'online' })
  })

  test('one that took its leave stays away', async () => {
    await register(database, { name: 'rpi', url: 'http://own.test:8001', capabilities: {} }, ITSELF)
    await register(database, { name: 'rpi', status: 'offline' })
    plane.behave(has([agent('rpi')], { c1: [node('rpi')] }))
    await update()
    expect(await worker('rpi')).toMatchObject({ status: 'offline' })
  })

  test('one that registers itself later is its own from then on', async () => {
    plane.behave(has([agent('rpi')]))
    await update()
    const id = (await worker('rpi'))?.id
    await register(database, { name: 'rpi', capabilities: { max_concurrency: 5 } })
    await update()
    expect(await worker('rpi')).toMatchObject({ id, capabilities: { max_concurrency: 5, labels: [] } })
  })
})

test('a removed worker stays removed until it is registered again', async () => {
  plane.behave(has([agent('rpi')]))
  await update()
  const { id = '' } = (await worker('rpi')) ?? {}
  const removed = await removeWorker(owner, { workerId: id, force: false, reason: 'sold' }, RUNTIME)
  expect(removed.ok).toBe(true)
  expect(await update()).toBe(0)
  expect(await worker('rpi')).toBeUndefined()
  plane.behave(has([agent('rpi', { registered_at: now() + 1 })]))
  expect(await update()).toBe(1)
})

describe('a control plane that does not answer as one', () => {
  test.each<[string, Said | Behaviour, string]>([
    ['is failing', { status: 503 }, 'failing'],
    ['refuses the key', { status: 401 }, 'refused_key'],
    ['answers no list', { body: { agents: [] } }, 'not_control_plane'],
    ['answers a page', { body: '<html>', headers: { 'content-type': 'text/html' } }, 'not_control_plane'],
    [
      'fails at the nodes of one project',
      (asked) =>
        asked.at.includes('/c2/') ? { status: 500 } : has([agent('rpi')], { c1: [], c2: [] })(asked),
      'failing',
    ],
  ])('%s changes no worker, and that is kept', async (_, said, fault) => {
    plane.behave(typeof said === 'function' ? said : () => said)
    expect(await update()).toBeNull()
    expect(await config()).toEqual({ fault, consecutive_failures: 1, answered: false })
    expect(await update()).toBeNull()
    expect(await config()).toMatchObject({ consecutive_failures: 2 })
    expect((await workers()).size).toBe(0)
  })

  test('is an event when it begins and when it ends, not each time', async () => {
    const before = (await eventsOf('config.tested')).length
    const rounds: Behaviour[] = [has([]), () => ({ status: 503 }), () => ({ status: 503 }), has([]), has([])]
    for (const round of rounds) {
      plane.behave(round)
      await update()
    }
    expect((await eventsOf('config.tested')).slice(before).map(({ outcome }) => outcome)).toEqual([
      'error',
      'ok',
    ])
    expect(await config()).toEqual({ fault: null, consecutive_failures: 0, answered: true })
  })
})

test('of two processes one reads', async () => {
  plane.behave(has([]))
  const parts = partsFor(plane.url)
  const read = await Promise.all([1, 2, 3].map(() => updateWorkers(parts)))
  expect(read.filter((made) => made !== null)).toEqual([0])
  expect(plane.received.map(({ at }) => at)).toEqual(['GET /agents', 'GET /projects'])
})

test('the control plane of this product: agents and heartbeats become workers', async () => {
  const own = await runControlPlane({ DATABASE_URL: base.controlPlaneUrl })
  try {
    await sendTo(own.url, 'POST /agents', {
      body: { name: 'orange', url: 'http://orange.test:8001', capabilities: CAN },
    })
    await sendTo(own.url, 'POST /agents', { body: { name: 'pear' } })
    for (const node_id of ['orange', 'plum'])
      await sendTo(own.url, 'POST /agent/heartbeat', {
        body: {
          node_id,
          canonical_id: 'c1',
          project_id: 'garden',
          ip_addrs: ['10.0.0.3'],
          agent_version: '0.5.0',
        },
      })
    expect(await updateWorkers(partsFor(own.url, ADMIN_KEY))).toBe(3)
    const found = await workers()
    expect(found.get('orange')).toMatchObject({
      ...{ status: 'online', url: 'http://orange.test:8001', capabilities: CAN, agent_version: '0.5.0' },
    })
    expect(found.get('plum')).toMatchObject({ status: 'online', capabilities: { claude_cli: false } })
    expect(found.get('pear')).toMatchObject({ status: 'offline', last_heartbeat: null })
  } finally {
    await own.stop()
  }
})

/** As a worker that was last heard so long ago; noticed as such. */
async function silentFor(name: string, seconds: number): Promise<void> {
  await database.query(sql`UPDATE worker_node SET last_heartbeat_at = clock_timestamp() - make_interval(secs => ${seconds}),
    created_at = clock_timestamp() - interval '1 day' WHERE name = ${name}`)
  await markWorkersOffline({ db: database })
}
