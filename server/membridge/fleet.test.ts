/** The nodes as the console reads them: folded over projects, keys and registrations, by the server's clock. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { nodeDetail, nodeListRequest, nodePage, nodeSummary } from '#contracts/node.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { canonicalIdOf } from '#domain/membridge/identity.rules.ts'
import { createKey } from '#server/keys/create-key.ts'
import { revokeKey } from '#server/keys/revoke-key.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { sha256Hex } from '#server/ports/object-store.ts'
import { getNode } from './get-node.query.ts'
import { listAllNodes, summarizeNodes } from './list-all-nodes.query.ts'
import { finishSync, requestSync } from './record-sync.ts'
import { registerNode, unregisterNode } from './register-node.ts'
import { registerProject } from './register-project.ts'
import { type TestControlPlane, testControlPlane } from './testing/control-plane.ts'

const OWNER: Caller = { role: 'owner', identity: 'owner', via: 'console' }
const [GARDEN, MEM] = ['aeeafec3a5b5710f', '6fe2e0f6071ac2bb']
let plane: TestControlPlane
/** Under the rights of the process that serves the console. */
let web: { db: Database; env: { ALLOW_INSECURE_LAN: boolean } }
beforeAll(async () => {
  plane = await testControlPlane()
  web = { db: openDatabase(plane.webUrl), env: { ALLOW_INSECURE_LAN: false } }
})
beforeEach(async () => {
  await plane.reset()
  await plane.admin(
    sql`UPDATE machine_key SET status = 'revoked', revoked_at = clock_timestamp() WHERE status = 'active'`,
  )
})
afterAll(async () => {
  await web?.db.close()
  await plane?.close()
})

const list = async (asked: Record<string, unknown> = {}) =>
  nodePage.parse(await listAllNodes(web, nodeListRequest.parse(asked)))
const ids = async (asked: Record<string, unknown> = {}) => (await list(asked)).items.map((n) => n.node_id)
const beat = (node_id: string, canonical_id: string | undefined, more = {}, options = {}) =>
  plane.beat({ node_id, canonical_id, ...more }, options)
const silence = (node_id: string, seconds: number) =>
  plane.admin(
    sql`UPDATE membridge_node SET last_seen = clock_timestamp() - make_interval(secs => ${seconds}) WHERE node_id = ${node_id}`,
  )
const key = async (node_id: string, days: number | null = null) => {
  const made = await createKey(web, { kind: 'node', node_id, name: node_id, expires_in_days: days }, OWNER)
  if (!made.ok) throw new Error(made.refusal.message)
  return made.value.key.key_id
}

describe('the fleet', () => {
  it('is empty at first', async () => {
    expect(await list()).toEqual({ items: [], next_cursor: null })
    expect(nodeSummary.parse(await summarizeNodes(web))).toEqual({
      ...{ online: 0, offline: 0, waiting: 0, admin_key: 0 },
      projects: [],
    })
  })

  it('shows a node once, with all of its projects, its keys and its registration', async () => {
    await registerProject(plane, { name: 'garden-seedling' }, OWNER)
    await beat('attic', MEM, { obs_count: 7, db_sha: 'ab', ip_addrs: ['10.0.0.1'] })
    await silence('attic', 600)
    const more = { obs_count: 9, agent_version: '1.2', ip_addrs: ['10.0.0.2'] }
    await beat('attic', GARDEN, more, { adminKey: false })
    const key_id = await key('attic', 30)
    await registerNode(web, { node_id: 'attic', url: 'https://attic:8001' }, OWNER)
    const [node, ...others] = (await list()).items
    expect(others).toEqual([])
    expect(node).toMatchObject({
      ...{
        node_id: 'attic',
        state: 'online',
        agent_version: '1.2',
        ip_addrs: ['10.0.0.2'],
        admin_key: false,
      },
      projects: [
        { canonical_id: MEM, name: null, obs_count: 7, db_sha: 'ab', online: false },
        { canonical_id: GARDEN, name: 'garden-seedling', obs_count: 9, db_sha: null, online: true },
      ],
      agent: { url: 'https://attic:8001' },
      keys: [{ key_id, name: 'attic', last_used_at: null }],
    })
    expect(node?.first_seen && node.last_seen && node.first_seen <= node.last_seen).toBe(true)
  })

  it('knows one that was added or registered before it was heard, and forgets it with its last key', async () => {
    const first = await key('b-added')
    await registerNode(web, { node_id: 'a-registered', url: null }, OWNER)
    await beat('c-heard', GARDEN)
    expect((await list()).items.map((n) => [n.node_id, n.state, n.projects.length])).toEqual([
      ['a-registered', 'waiting', 0],
      ['b-added', 'waiting', 0],
      ['c-heard', 'online', 1],
    ])
    await revokeKey(web, { key_id: first }, OWNER)
    await unregisterNode(web, { node_id: 'a-registered' }, OWNER)
    expect(await ids()).toEqual(['c-heard'])
  })

  it('judges by the clock of the server, filters by state, project and text, and counts the same', async () => {
    await beat('quiet', GARDEN, { project_id: 'garden-seedling', last_seen: 9e9 })
    await silence('quiet', 61)
    await beat('loud', GARDEN)
    await beat('loud', MEM, { project_id: 'mem_100%' })
    await key('new')
    expect(await ids({ state: 'online' })).toEqual(['loud'])
    expect(await ids({ state: 'offline' })).toEqual(['quiet'])
    expect(await ids({ state: 'waiting' })).toEqual(['new'])
    expect(await ids({ project: GARDEN })).toEqual(['loud', 'quiet'])
    expect(await ids({ project: GARDEN, state: 'offline' })).toEqual(['quiet'])
    expect(await ids({ q: 'QUI' })).toEqual(['quiet'])
    expect(await ids({ q: '100%' })).toEqual(['loud'])
    expect(await ids({ q: '_' })).toEqual(['loud'])
    expect(await ids({ q: '\0' })).toEqual(['loud', 'new', 'quiet'])
    expect(await summarizeNodes(web)).toEqual({
      ...{ online: 1, offline: 1, waiting: 1, admin_key: 1 },
      projects: [
        { canonical_id: GARDEN, name: 'garden-seedling' },
        { canonical_id: MEM, name: 'mem_100%' },
      ],
    })
  })

  it('takes a sign of life under the own name of a node for no project', async () => {
    await beat('attic', canonicalIdOf('attic', sha256Hex), { agent_version: '1.3' })
    expect((await list()).items).toMatchObject([{ state: 'online', agent_version: '1.3', projects: [] }])
  })

  it('marks a node by the key of its latest heartbeat', async () => {
    await beat('attic', GARDEN)
    expect((await list()).items[0]?.admin_key).toBe(true)
    await beat('attic', MEM, {}, { adminKey: false })
    expect((await list()).items[0]?.admin_key).toBe(false)
  })

  it('pages by id without losing or repeating one, whoever comes in between', async () => {
    for (const id of ['n/1', 'n:2', 'n3', 'n4', 'n5']) await beat(id, GARDEN)
    await beat('n/1', MEM, { project_id: 'mem' })
    for (const id of ['w1', 'w1', 'w2', 'w3']) await key(id)
    await registerNode(web, { node_id: 'w1', url: null }, OWNER)
    const waiting = await list({ state: 'waiting', limit: 2 })
    expect(waiting.items.map((n) => n.node_id)).toEqual(['w1', 'w2'])
    expect(await ids({ state: 'waiting', limit: 2, cursor: waiting.next_cursor })).toEqual(['w3'])
    expect(await ids({ project: GARDEN, q: 'mem' })).toEqual(['n/1'])
    for (const id of ['w1', 'w2', 'w3']) await beat(id, GARDEN)
    expect(await ids({ state: 'waiting' })).toEqual([])
    const first = await list({ limit: 2 })
    await beat('n0', GARDEN)
    const second = await list({ limit: 2, cursor: first.next_cursor })
    const third = await list({ limit: 2, cursor: second.next_cursor })
    const fourth = await list({ limit: 3, cursor: third.next_cursor })
    const seen = [first, second, third, fourth].flatMap((page) => page.items.map((n) => n.node_id))
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.filter((id) => id !== 'n0').sort()).toEqual([
      ...['n/1', 'n3', 'n4', 'n5', 'n:2'],
      ...['w1', 'w2', 'w3'],
    ])
    expect(fourth.next_cursor).toBeNull()
    await expect(list({ cursor: 'WyJrZXlzIiwieCJd' })).rejects.toThrow('does not belong to this list')
  })
})

describe('a node', () => {
  it('is primary where the lease names it, and has pushed where the pointer does', async () => {
    await beat('attic', GARDEN)
    await beat('attic', MEM)
    await beat('shed', GARDEN, { leadership_enabled: false })
    await plane.admin(sql`INSERT INTO membridge_lease (canonical_id, lease_state, holder, epoch, term, expires_at, remaining_seconds, observed_at, pointer_node_id, pointer_pushed_at)
      VALUES (${GARDEN}, 'valid', 'attic', 3, 2, 9e9, 600, clock_timestamp(), 'attic', 1777881600.5)`)
    const [attic, shed] = (await list()).items
    expect(attic?.projects.map((p) => [p.canonical_id, p.role, p.pushed_at])).toEqual([
      [MEM, 'unknown', null],
      [GARDEN, 'primary', '2026-05-04T08:00:00.500Z'],
    ])
    expect(shed?.projects).toMatchObject([{ role: 'unknown', leadership_enabled: false, pushed_at: null }])
    await plane.admin(sql`DELETE FROM membridge_lease`)
  })

  it('has its newest syncs, without their output', async () => {
    await beat('attic', GARDEN)
    const wanted = {
      action: 'push',
      project: 'garden-seedling',
      agent: 'attic',
      canonicalId: GARDEN,
    } as const
    const sync = await requestSync(plane, { ...wanted, requestId: null }, OWNER)
    await requestSync(plane, { ...wanted, agent: 'other', requestId: null }, OWNER)
    const end = {
      sync_id: sync.id,
      action: 'push',
      outcome: 'completed',
      detail: 'pushed',
      stdout: 'OUTPUT',
    } as const
    expect((await finishSync(plane, end, OWNER)).ok).toBe(true)
    const found = await getNode(web, { node_id: 'attic' })
    expect(found.ok && nodeDetail.parse(found.value).syncs).toMatchObject([
      { sync_id: sync.id, action: 'push', project: 'garden-seedling', requested_by: 'owner' },
    ])
    expect(JSON.stringify(found)).not.toContain('OUTPUT')
  })

  it('is 404 when nothing is known of it', async () => {
    expect(await getNode(web, { node_id: 'nobody' })).toMatchObject({
      ok: false,
      refusal: { code: 'NOT_FOUND' },
    })
  })

  it('is registered once', async () => {
    const again = { node_id: 'attic', url: 'https://attic:8001' }
    expect((await registerNode(web, again, OWNER)).ok).toBe(true)
    expect(await registerNode(web, again, OWNER)).toMatchObject({ refusal: { code: 'DUPLICATE_ENTRY' } })
    expect((await unregisterNode(web, again, OWNER)).ok).toBe(true)
    expect(await unregisterNode(web, again, OWNER)).toMatchObject({ refusal: { code: 'NOT_FOUND' } })
    expect((await plane.events('worker', 'attic')).map((e) => e.name)).toEqual([
      'worker.registered',
      'worker.removed',
    ])
  })
})
