/** Calls to nodes: under which key, where to, how long, and what is recorded when. */
import sql, { raw } from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { registerAgentRequest } from '#contracts/membridge.contract.ts'
import { type Caller, CONTROL_PLANE_ADMIN } from '#domain/authority/caller.ts'
import { createKey } from '#server/keys/create-key.ts'
import { nodeCallKey } from '#server/keys/node-call-key.ts'
import { revokeKey } from '#server/keys/revoke-key.ts'
import { type Database, type Db, openDatabase } from '#server/ledger/database.ts'
import { redactText } from '#server/redaction/redact.ts'
import { listSyncs } from './list-syncs.query.ts'
import { expireSyncs } from './record-sync.ts'
import { registerAgent, removeAgent } from './register-agent.ts'
import { registerProject } from './register-project.ts'
import { askForSync, runSync } from './run-sync.ts'
import { findSyncTarget } from './sync-target.ts'
import { carryOutWaiting, takeUpSyncs } from './take-up-syncs.ts'
import { type TestControlPlane, testControlPlane } from './testing/control-plane.ts'
import { runTestAgent, type TestAgent } from './testing/run-agent.ts'

const MAIN_KEY = `main-${'k'.repeat(43)}`
const OWNER: Caller = { role: 'owner', identity: 'owner', via: 'console' }
const OPERATOR: Caller = { role: 'operator', identity: 'operator:olena', via: 'console' }

let plane: TestControlPlane
let node: TestAgent
let web: Database
beforeAll(async () => {
  plane = await testControlPlane()
  node = await runTestAgent()
  web = openDatabase(plane.webUrl)
})
beforeEach(async () => {
  await plane.reset()
  await registerProject(plane, { name: 'mem' }, CONTROL_PLANE_ADMIN)
})
afterAll(async () => {
  await Promise.all([node?.stop(), web?.close()])
  await plane?.close()
})

const parts = (more: { nodeWaitMs?: number; insecure?: boolean } = {}) => ({
  db: plane.db,
  env: { ALLOW_INSECURE_LAN: more.insecure ?? false, MEMBRIDGE_AGENT_KEY: MAIN_KEY },
  ...(more.nodeWaitMs ? { nodeWaitMs: more.nodeWaitMs } : {}),
})
const register = async (name: string, url: string, caller = CONTROL_PLANE_ADMIN) => {
  const input = registerAgentRequest.parse({ name, url })
  expect((await registerAgent(plane, input, caller)).ok).toBe(true)
}
const ask = (agent: string) => ({ action: 'push', project: 'mem', agent, requestId: 'r 1' }) as const
const run = (agent: string, more?: Parameters<typeof parts>[0]) =>
  runSync(parts(more), ask(agent), CONTROL_PLANE_ADMIN)
const lastKey = async () => (await node.seen()).at(-1)?.key
const syncs = async () => (await listSyncs(plane, { limit: 50 })).items
const join = async (node_id: string) => {
  const made = await createKey({ db: web }, { kind: 'node', node_id, name: 'x', expires_in_days: 1 }, OWNER)
  if (!made.ok) throw new Error(made.refusal.message)
  return made.value.key
}

describe('the key of a call', () => {
  it('is the main key for agents of today’s clients', async () => {
    await register('today', `${node.url}/ok`)
    expect(await run('today')).toMatchObject({ ok: true, value: { ok: true } })
    expect(await lastKey()).toBe(MAIN_KEY)
  })

  it('is derived for a joined node, also after its key was revoked, and masked where the node repeats it', async () => {
    await register('joined', `${node.url}/repeats`)
    const key = await join('joined')
    const derived = nodeCallKey(MAIN_KEY, 'joined')
    expect(await run('joined')).toMatchObject({ ok: true, value: { detail: 'key ****' } })
    expect(await lastKey()).toBe(derived)
    await revokeKey({ db: web }, key, OWNER)
    await run('joined')
    expect(await lastKey()).toBe(derived)
    await removeAgent(plane, { name: 'joined' }, CONTROL_PLANE_ADMIN)
    await register('joined', `${node.url}/refusesKey`)
    expect(await run('joined')).toMatchObject({
      ok: false,
      refusal: { message: expect.stringContaining('key: ****') },
    })
    const rows = await plane.admin(sql`SELECT s::text AS row FROM membridge_sync s`)
    expect(JSON.stringify(rows)).toContain('****')
    // What masks every text of this process learns no keys of nodes: it would search for each of them.
    expect(redactText(derived)).toBe(derived)
    for (const secret of [derived, MAIN_KEY]) expect(JSON.stringify(rows)).not.toContain(secret)
  })

  it('is sent nowhere that an operator says, joined or not', async () => {
    const before = (await node.seen()).length
    const refused = { ok: false, refusal: { code: 'NODE_NOT_CALLABLE' } }
    await register('theirs', `${node.url}/ok`, OPERATOR)
    expect(await run('theirs')).toMatchObject(refused)
    await join('theirs')
    expect(await run('theirs')).toMatchObject(refused)
    const asked = { ...ask('theirs'), reason: 'to see its key' }
    expect(await askForSync({ ...parts(), db: web }, asked, OPERATOR)).toMatchObject(refused)
    expect((await node.seen()).length).toBe(before)
    expect(await syncs()).toEqual([])

    await removeAgent(plane, { name: 'theirs' }, OWNER)
    await register('theirs', `${node.url}/ok`, OWNER)
    expect(await run('theirs')).toMatchObject({ ok: true })
    expect(await lastKey()).toBe(nodeCallKey(MAIN_KEY, 'theirs'))
  })

  it.each([
    'http://10.0.0.9:8001',
    'http://rpi4b.lan:8001',
    'http://[fd00::1]:8001',
    'http://127.0.0.1.nip.io',
  ])('does not cross a network in clear: %s', async (url) => {
    await register('far', url)
    const refusal = { code: 'NODE_NOT_CALLABLE', message: expect.stringContaining('ALLOW_INSECURE_LAN=1') }
    expect(await run('far')).toMatchObject({ ok: false, refusal })
    expect(await syncs()).toEqual([])
  })

  it.each([
    'http://169.254.169.254',
    'http://[fe80::1]',
    'http://0.0.0.0:8001',
    'http://[::ffff:169.254.169.254]',
    'http://224.0.0.1',
  ])('goes to no address where no node is, whatever is allowed: %s', async (url) => {
    await register('odd', url)
    const refusal = { code: 'NODE_NOT_CALLABLE', message: expect.stringContaining('link-local') }
    expect(await run('odd', { insecure: true })).toMatchObject({ ok: false, refusal })
  })
})

describe('a sync that runs', () => {
  it('is recorded before the node is called, and ends as an error when it does not answer in time', async () => {
    await register('hangs', `${node.url}/hangs`)
    const running = run('hangs', { nodeWaitMs: 1_500 })
    await expect.poll(async () => (await node.seen()).at(-1)?.at).toBe('POST /hangs/sync/push')
    expect(await syncs()).toMatchObject([{ status: 'pending', request_id: 'r 1' }])
    // It is under way already: the queue of the gateway's syncs leaves it alone.
    expect(await takeUpSyncs(plane, 10)).toEqual([])
    const message = `${node.url} did not answer in time. Check that the agent runs and can be reached.`
    expect(await running).toMatchObject({ ok: false, refusal: { code: 'UPSTREAM_UNAVAILABLE', message } })
    expect(await syncs()).toMatchObject([{ status: 'error', detail: message }])
  })

  it('is answered by its own end, once it was given up meanwhile', async () => {
    await register('hangs', `${node.url}/hangs`)
    const running = run('hangs', { nodeWaitMs: 2_000 })
    await expect.poll(async () => (await syncs()).length).toBe(1)
    await plane.admin(sql`UPDATE membridge_sync SET created_at = clock_timestamp() - interval '11 minutes'`)
    await expireSyncs({ db: plane.worker }, CONTROL_PLANE_ADMIN)
    expect(await running).toMatchObject({ ok: false, refusal: { code: 'INVALID_TRANSITION' } })
  })

  it('keeps the node’s report while the ledger fails, and when only its answer was lost', async () => {
    await register('today', `${node.url}/ok`)
    await failing(2)
    const again = { againAfterMs: [1, 1, 1] }
    expect(await runSync({ ...parts(), ...again }, ask('today'), CONTROL_PLANE_ADMIN)).toMatchObject({
      ok: true,
    })
    await failing(4)
    await expect(runSync({ ...parts(), ...again }, ask('today'), CONTROL_PLANE_ADMIN)).rejects.toThrow('down')
    await failing(0)
    const db = losingAnswers(plane.db)
    expect(await runSync({ ...parts(), db, ...again }, ask('today'), CONTROL_PLANE_ADMIN)).toMatchObject({
      ok: true,
    })
    expect((await syncs()).map(({ status }) => status)).toEqual(['completed', 'pending', 'completed'])
  })

  /** The next so many statements that end a sync fail. */
  const failing = async (times: number) => {
    await plane.admin(sql`DROP SEQUENCE IF EXISTS failures CASCADE`)
    await plane.admin(sql`CREATE SEQUENCE failures`)
    await plane.admin(sql`CREATE OR REPLACE FUNCTION fail_some() RETURNS trigger SECURITY DEFINER LANGUAGE plpgsql AS
      'BEGIN IF nextval(''failures'') <= TG_ARGV[0]::int THEN RAISE ''the ledger is down''; END IF; RETURN NEW; END'`)
    await plane.admin(sql`DROP TRIGGER IF EXISTS fail_some ON membridge_sync`)
    await plane.admin(
      raw(
        `CREATE TRIGGER fail_some BEFORE UPDATE ON membridge_sync FOR EACH ROW EXECUTE FUNCTION fail_some('${times}')`,
      ),
    )
  }
  /** The connection goes away behind the first statement that ends a sync. */
  const losingAnswers = (db: Database): Db => {
    let lost = false
    return {
      ...db,
      query: async (statement) => {
        const answer = await db.query<never>(statement)
        if (lost || !statement.text.includes('finished_at = clock_timestamp()')) return answer
        lost = true
        throw new Error('Connection terminated')
      },
    }
  }
})

describe('a sync that a person asks for', () => {
  const asked = (agent: string, caller: Caller = OPERATOR) =>
    askForSync({ ...parts(), db: web }, { ...ask(agent), reason: 'before the trip' }, caller)
  const take = (limit = 10) => takeUpSyncs(plane, limit)

  it('waits under the person’s name and reason, is taken up once, and ends by the node’s report', async () => {
    await register('today', `${node.url}/fails`)
    const sync = await asked('today')
    expect(sync).toMatchObject({ ok: true, value: { status: 'pending', agent: 'today' } })
    const taken = await Promise.all(Array.from({ length: 6 }, () => take()))
    expect([...taken.flat(), ...(await take())]).toHaveLength(1)
    for (const one of taken.flat()) await carryOutWaiting(parts(), one)
    expect(await syncs()).toMatchObject([{ status: 'failed', returncode: 3 }])
    const id = sync.ok ? sync.value.id : ''
    const events = await plane.admin(
      sql`SELECT name, actor, reason FROM event WHERE resource_type = 'sync' AND resource_id = ${id} ORDER BY id`,
    )
    expect(events).toEqual([
      { name: 'sync.requested', actor: 'operator:olena', reason: 'before the trip' },
      { name: 'sync.failed', actor: 'membridge', reason: null },
    ])
  })

  it('is refused at once where it could not run', async () => {
    expect(await asked('none')).toMatchObject({ ok: false, refusal: { code: 'NOT_FOUND' } })
    await register('keyless', `${node.url}/ok`, OPERATOR)
    expect(await asked('keyless')).toMatchObject({ ok: false, refusal: { code: 'NODE_NOT_CALLABLE' } })
    expect(await syncs()).toEqual([])
  })

  it('ends as an error when its agent is gone by then', async () => {
    await register('today', `${node.url}/ok`)
    await asked('today')
    await plane.admin(sql`DELETE FROM membridge_agent`)
    for (const one of await take()) await carryOutWaiting(parts(), one)
    expect(await syncs()).toMatchObject([{ status: 'error', detail: "Agent 'today' not found" }])
  })

  it('is not taken up when it would be given up before its node has to answer, and those of the wire never', async () => {
    await register('today', `${node.url}/ok`)
    await run('today')
    await asked('today')
    const age = (seconds: number) =>
      plane.admin(
        sql`UPDATE membridge_sync SET created_at = clock_timestamp() - make_interval(secs => ${seconds})`,
      )
    await age(440)
    expect(await take()).toEqual([])
    await age(435)
    expect(await take()).toHaveLength(1)
  })

  it('waits for those of its own agent alone', async () => {
    for (const name of ['hangs', 'today']) await register(name, `${node.url}/ok`)
    const ids: string[] = []
    for (const name of ['hangs', 'hangs', 'today']) {
      const sync = await asked(name)
      ids.push(sync.ok ? sync.value.id : '')
    }
    const taken = async () => (await take()).map(({ sync_id }) => sync_id)
    expect(new Set(await taken())).toEqual(new Set([ids[0], ids[2]]))
    expect(await taken()).toEqual([])
    const called = (seconds: number) =>
      plane.admin(
        sql`UPDATE membridge_sync SET called_at = clock_timestamp() - make_interval(secs => ${seconds}) WHERE called_at IS NOT NULL`,
      )
    await called(155)
    expect(await taken()).toEqual([])
    // Whoever called it is gone: no call takes that long.
    await called(161)
    expect(await taken()).toEqual([ids[1]])
  })

  it('asks along indexes whether its node was joined', async () => {
    await plane.admin(sql`INSERT INTO machine_key (key_id, status, kind, node_id, name, scopes, hash, slot, created_by, revoked_at)
      SELECT lpad(to_hex(n), 16, '0'), 'active', 'node', 'node ' || n, 'x', '{}', lpad(to_hex(n), 64, '0'), 1, 'owner', NULL FROM generate_series(1, 4000) n`)
    await plane.admin(sql`ANALYZE machine_key`)
    let plan = ''
    const explained: Db = {
      ...plane.db,
      query: async (statement) => {
        const { rows } = await plane.db.query<{ 'QUERY PLAN': string }>(sql`EXPLAIN ${statement}`)
        plan = rows.map((row) => row['QUERY PLAN']).join('\n')
        return { rows: [], rowCount: 0 }
      },
    }
    await findSyncTarget({ ...parts(), db: explained }, { project: 'mem', agent: 'today' })
    expect(plan).toContain('machine_key_node')
    expect(plan).not.toContain('Seq Scan on machine_key')
  })
})
