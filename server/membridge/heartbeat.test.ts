/** What a heartbeat keeps, what it costs, and what it leaves behind. */
import sql, { raw } from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { heartbeatRequest, nodeView } from '#contracts/membridge.contract.ts'
import { CONTROL_PLANE_ADMIN } from '#domain/authority/caller.ts'
import type { Db } from '#server/ledger/database.ts'
import { listNodes } from './list-nodes.query.ts'
import { markNodesOffline } from './mark-nodes-offline.ts'
import { OWN_PROJECTS_MAX, recordHeartbeat } from './record-heartbeat.ts'
import { type TestControlPlane, testControlPlane } from './testing/control-plane.ts'

const CID = 'aeeafec3a5b5710f'
const NODE = { node_id: 'rpi4b', canonical_id: CID }
let plane: TestControlPlane
beforeAll(async () => {
  plane = await testControlPlane()
})
beforeEach(() => plane.reset())
afterAll(() => plane?.close())

const nodes = () => listNodes(plane, { cid: CID })
const silence = (seconds: number) =>
  plane.admin(
    sql`UPDATE membridge_node SET last_seen = clock_timestamp() - make_interval(secs => ${seconds})`,
  )

/** The same database, counting what is asked of it. */
function counted(db: Db): { db: Db; statements: () => number; notified: () => number } {
  let [statements, notified] = [0, 0]
  return {
    db: {
      query: (statement) => {
        statements += 1
        return db.query(statement)
      },
      // BEGIN and COMMIT are round trips, too.
      transaction: (work) => {
        statements += 2
        return db.transaction(work)
      },
      notify: (...topics) => {
        notified += topics.length
        db.notify(...topics)
      },
    },
    statements: () => statements,
    notified: () => notified,
  }
}

describe('a heartbeat', () => {
  it('answers without a role as long as there is no lease', async () => {
    const answer = await recordHeartbeat(
      plane,
      { ...heartbeatRequest.parse(NODE), adminKey: true },
      CONTROL_PLANE_ADMIN,
    )
    expect(answer).toEqual({
      ok: true,
      ...{ role: 'unknown', canonical_id: CID, lease_state: 'unreadable', epoch: null, term: null },
    })
  })

  it('makes the node known as it describes itself, by the server’s clock', async () => {
    const facts = {
      obs_count: '1234',
      db_sha: 'deadbeef',
      project_id: 'garden-seedling',
      agent_version: '0.4.0',
    }
    await plane.beat({ ...NODE, ...facts, ip_addrs: ['192.168.1.10'], last_seen: 1_000_000_000.5 })
    const [node] = await nodes()
    expect(nodeView.parse(node)).toEqual({
      ...NODE,
      ...facts,
      ...{ obs_count: 1234, ip_addrs: ['192.168.1.10'], role: 'unknown', online: true },
      last_seen: expect.closeTo(Date.now() / 1000, -2),
      registered_at: node?.last_seen && expect.closeTo(node.last_seen, -1),
    })
    expect(await plane.admin(sql`SELECT reported_last_seen, admin_key FROM membridge_node`)).toEqual([
      { reported_last_seen: '1000000000.5', admin_key: true },
    ])
  })

  it('that says nothing keeps what is known, and empties the addresses', async () => {
    const facts = { obs_count: 5, db_sha: 'aa', project_id: 'p', agent_version: '1' }
    await plane.beat({ ...NODE, ...facts, ip_addrs: ['::1'], last_seen: 'then' })
    await plane.beat({
      ...NODE,
      obs_count: null,
      db_sha: null,
      project_id: null,
      agent_version: null,
      ip_addrs: null,
    })
    expect(await nodes()).toMatchObject([{ ...facts, ip_addrs: [] }])
    await plane.beat({ ...NODE, obs_count: 0, db_sha: 'bb' })
    expect(await nodes()).toMatchObject([{ ...facts, obs_count: 0, db_sha: 'bb' }])
    expect(await plane.admin(sql`SELECT reported_last_seen FROM membridge_node`)).toEqual([
      { reported_last_seen: '"then"' },
    ])
  })

  it('belongs to one node of one project', async () => {
    await plane.beat({ ...NODE, obs_count: 1 })
    await plane.beat({ ...NODE, canonical_id: 'another', obs_count: 2 })
    await plane.beat({ node_id: 'Rpi4b', canonical_id: CID, obs_count: 3 })
    expect((await nodes()).map((node) => [node.node_id, node.obs_count])).toEqual([
      ['Rpi4b', 3],
      ['rpi4b', 1],
    ])
  })
})

describe('the cost of a beat', () => {
  it('is one round trip, and a message only when something is new', async () => {
    const { db, statements, notified } = counted(plane.db)
    await plane.beat({ ...NODE, project_id: 'garden-seedling' }, { db })
    expect([statements(), notified()]).toEqual([1, 2])
    for (let n = 0; n < 10; n++)
      await plane.beat({ ...NODE, project_id: 'garden-seedling', obs_count: n }, { db })
    expect([statements(), notified()]).toEqual([11, 2])
  })

  it('leaves no row behind in any table, however often it comes', async () => {
    const round = () =>
      Promise.all(
        ['rpi4b', 'orange', 'alpine'].map((node_id) =>
          plane.beat({ node_id, canonical_id: CID, project_id: 'garden-seedling', obs_count: 7 }),
        ),
      )
    const empty = await rowsByTable()
    await round()
    const before = await rowsByTable()
    expect(before).toEqual({
      ...empty,
      membridge_node: 3,
      membridge_seen: 3,
      membridge_project: 1,
      event: (empty.event ?? 0) + 4,
    })
    for (let n = 0; n < 200; n++) await round()
    expect(await rowsByTable()).toEqual(before)
  })

  it('touches no index: none has a column that a beat changes', async () => {
    const indexed = await plane.admin(sql`SELECT DISTINCT a.attname AS name FROM pg_index x
      JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = ANY(x.indkey::int2[])
      WHERE x.indrelid = 'membridge_node'::regclass ORDER BY 1`)
    expect(indexed).toEqual([{ name: 'canonical_id' }, { name: 'node_id' }])
  })

  async function rowsByTable(): Promise<Record<string, number>> {
    const tables = await plane.admin<{ name: string }>(
      sql`SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`,
    )
    const counts = await Promise.all(
      tables.map(async ({ name }) => {
        const [row] = await plane.admin<{ n: number }>(sql`SELECT count(*)::int AS n FROM ${raw(name)}`)
        return [name, row?.n ?? 0] as const
      }),
    )
    return Object.fromEntries(counts)
  }
})

describe('a node under its own key', () => {
  const own = (canonical_id: string, project_id = canonical_id) =>
    plane.beat({ node_id: 'rpi4b', canonical_id, project_id }, { adminKey: false })
  const counts = () =>
    plane.admin(sql`SELECT (SELECT count(*)::int FROM membridge_node) AS nodes,
      (SELECT count(*)::int FROM membridge_project) AS projects, (SELECT array_agg(last_seen) FROM membridge_agent) AS agents`)

  it('announces 64 projects and no other, goes on with those, and the admin key may add', async () => {
    await plane.admin(
      sql`INSERT INTO membridge_agent (name, reported_status, capabilities, registered_by) VALUES ('rpi4b', 'unknown', '{}', 'x')`,
    )
    await plane.admin(sql`INSERT INTO membridge_node (canonical_id, node_id, ip_addrs, admin_key)
      SELECT 'p' || n, 'rpi4b', '{}', false FROM generate_series(1, ${OWN_PROJECTS_MAX - 1}) n`)
    const before = await plane.events('node', 'p65/rpi4b')
    await own('p64')
    const full = await counts()
    await expect(own('p65')).rejects.toMatchObject({
      refusal: { code: 'NODE_PROJECT_LIMIT', message: expect.stringContaining('has 64 projects already') },
    })
    expect([await counts(), await plane.events('node', 'p65/rpi4b')]).toEqual([full, before])
    await own('p1')
    await plane.beat({ ...NODE, canonical_id: 'p65' })
    expect(await counts()).toMatchObject([{ nodes: 65, projects: 2 }])
  })

  it('gives no second project the name of another; the admin key may', async () => {
    await own('first', 'garden')
    await own('second', 'garden')
    const named = () =>
      plane.admin(sql`SELECT canonical_id FROM membridge_project WHERE name = 'garden' ORDER BY 1`)
    expect(await named()).toEqual([{ canonical_id: 'first' }])
    await plane.beat({ ...NODE, canonical_id: 'second', project_id: 'garden' })
    expect(await named()).toHaveLength(2)
  })
})

describe('what is recorded of a node', () => {
  const recorded = async () =>
    (await plane.events('node', `${CID}/rpi4b`)).map(({ name, details }) => [name, details.admin_key])

  it('is its first sight, and each change of the kind of key', async () => {
    for (const adminKey of [true, true, false, false, true]) await plane.beat(NODE, { adminKey })
    expect(await recorded()).toEqual([
      ['node.registered', true],
      ['node.key_changed', false],
      ['node.key_changed', true],
    ])
    expect(await plane.admin(sql`SELECT admin_key FROM membridge_node`)).toEqual([{ admin_key: true }])
  })

  it('misses no change and invents none when beats under both keys cross', async () => {
    await Promise.all(Array.from({ length: 60 }, (_, n) => plane.beat(NODE, { adminKey: n % 2 === 0 })))
    const events = await recorded()
    expect(events.map(([name]) => name)).toEqual([
      'node.registered',
      ...events.slice(1).map(() => 'node.key_changed'),
    ])
    for (const [n, [, adminKey]] of events.slice(1).entries()) expect(adminKey).toBe(!events[n]?.[1])
    expect(await plane.admin(sql`SELECT admin_key FROM membridge_node`)).toEqual([
      { admin_key: events.at(-1)?.[1] },
    ])
  })
})

describe('silence', () => {
  it.each([
    [0, true],
    [57, true],
    [60, false],
    [3_600, false],
  ])('of %d s: online %s, before anybody marks it', async (seconds, online) => {
    await plane.beat(NODE)
    await silence(seconds)
    expect(await nodes()).toMatchObject([{ online }])
  })

  it('is noticed once, and again after the node was back', async () => {
    await plane.beat(NODE)
    await plane.beat({ node_id: 'orange', canonical_id: CID })
    expect(await markNodesOffline({ db: plane.worker })).toEqual([])
    await silence(60)
    await plane.beat({ node_id: 'orange', canonical_id: CID })
    expect(await markNodesOffline({ db: plane.worker })).toEqual([{ canonical_id: CID, node_id: 'rpi4b' }])
    expect(await markNodesOffline({ db: plane.worker })).toEqual([])
    await plane.beat(NODE)
    expect(await nodes()).toMatchObject([{ online: true }, { online: true }])
    await silence(61)
    expect(await markNodesOffline({ db: plane.worker })).toHaveLength(2)
  })

  it('of a node that is beating at this moment is passed over', async () => {
    await plane.beat(NODE)
    await silence(120)
    await plane.db.transaction(async (tx) => {
      await plane.beat(NODE, { db: tx })
      expect(await markNodesOffline({ db: plane.worker })).toEqual([])
    })
    expect(await markNodesOffline({ db: plane.worker })).toEqual([])
  })

  it('is never judged by what the node says of its time', async () => {
    await plane.beat({ ...NODE, last_seen: 0 })
    expect(await nodes()).toMatchObject([{ online: true }])
    await silence(120)
    expect(await nodes()).toMatchObject([{ online: false }])
  })
})
