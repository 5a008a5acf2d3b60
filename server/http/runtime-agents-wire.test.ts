/** The agents of workers over HTTP: how they are, what an owner has them do, and the script that makes one. */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { WorkerView } from '#contracts/worker.contract.ts'
import { nodeCallKey } from '#server/keys/node-call-key.ts'
import { packEdge } from '#server/launch/edge-archive.mjs'
import { type StandIn, standIn } from '#server/runtime/testing/stand-in-server.ts'
import { parseConfigFile } from '#worker/edge/config/config-file.ts'
import { ledgerDigest } from './testing/gateway.ts'
import { R } from './testing/runtime-wire.ts'
import { KEY, openSettingsWire, type SettingsWire } from './testing/settings-wire.ts'

let wire: SettingsWire
beforeAll(async () => {
  wire = await openSettingsWire()
})
afterAll(() => wire?.close())
beforeEach(() => wire.reset())

describe('the agent of a worker', () => {
  let agent: StandIn
  let worker: WorkerView
  beforeAll(async () => {
    agent = await standIn()
  })
  afterAll(() => agent.close())
  beforeEach(async () => {
    agent.received.length = 0
    worker = await wire.register({ url: agent.url })
  })
  const health = (id = worker.id) => wire.call(`GET ${R}/workers/${id}/agent-health`)
  const command = (what: string, body: object = { reason: 'new settings' }, id = worker.id) =>
    wire.call(`POST ${R}/workers/${id}/agent-${what}`, body)

  test('says how it is, and only what an agent says', async () => {
    agent.behave(() => ({
      body: {
        ...{ status: 'ok', service: 'membridge-agent', version: '1.2', dryrun: false },
        ...{ hostname: 'orange', secret_of_the_node: 'x', uptime_seconds: 'long' },
      },
    }))
    const { status, json } = await health()
    expect([status, json]).toEqual([
      200,
      {
        ...{ reachable: true, checked_at: expect.any(Number), status: 'ok', service: 'membridge-agent' },
        ...{ version: '1.2', dryrun: false, hostname: 'orange' },
      },
    ])
    const [asked] = agent.received
    const key = nodeCallKey(wire.whole.services.env.MEMBRIDGE_AGENT_KEY, worker.name)
    expect([asked?.at, asked?.headers['x-membridge-agent']]).toEqual(['GET /health', key])
  })

  test.each<[string, object]>([
    ['refuses', { status: 403, body: { detail: 'A key is only accepted over TLS.' } }],
    ['fails', { status: 500 }],
    ['is something else', { body: '<html>', headers: { 'content-type': 'text/html' } }],
    ['leads elsewhere', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }],
  ])('that %s is not reachable, and was not heard', async (_, answer) => {
    agent.behave(() => answer)
    const before = await ledgerDigest(wire.whole.services)
    const { status, json } = await health()
    expect([status, json]).toEqual([
      200,
      { reachable: false, error: expect.any(String), checked_at: expect.any(Number) },
    ])
    expect(await ledgerDigest(wire.whole.services)).toBe(before)
  })

  test('that is away is not reachable, whatever was known of it, and was not heard', async () => {
    const away = await standIn()
    const { id } = await wire.register({ url: away.url })
    await away.close()
    await wire.whole.services.db.query(
      sql`UPDATE worker_node SET last_heartbeat_at = clock_timestamp() - interval '10 minutes' WHERE worker_id = ${id}`,
    )
    const before = await ledgerDigest(wire.whole.services)
    expect((await health(id)).json).toMatchObject({ reachable: false })
    expect(await ledgerDigest(wire.whole.services)).toBe(before)
  })

  test('of a worker without an address is not asked; of none there is none', async () => {
    const { id } = await wire.register()
    for (const answer of [await health(id), await command('restart', undefined, id)])
      expect(answer).toMatchObject({ status: 400, json: { error: expect.stringContaining('no url') } })
    for (const unknown of [randomUUID(), 'no-id']) {
      const answers = [await health(unknown), await command('restart', undefined, unknown)]
      for (const answer of answers)
        expect([answer.status, answer.json]).toEqual([404, { error: 'Worker not found' }])
    }
  })

  test.each([
    ['restart', 'POST /restart'],
    ['update', 'POST /self-update'],
    ['uninstall', 'POST /uninstall'],
  ])('is asked to %s at its registered address, whatever the body says', async (what, at) => {
    agent.behave(() => ({ body: { ok: true, dryrun: false, detail: 'The agent ends.' } }))
    const elsewhere = {
      url: wire.plane.url,
      agent_url: wire.plane.url,
      worker_url: wire.plane.url,
      reason: 'new settings',
    }
    const { status, json } = await command(what, elsewhere)
    expect([status, json]).toEqual([
      200,
      { ok: true, worker_id: worker.id, command: what, dryrun: false, detail: 'The agent ends.' },
    ])
    expect([agent.received.map((one) => one.at), wire.plane.received]).toEqual([[at], []])
    const key = nodeCallKey(wire.whole.services.env.MEMBRIDGE_AGENT_KEY, worker.name)
    expect(agent.received[0]?.headers['x-membridge-agent']).toBe(key)
    expect(agent.received[0]?.body).toBe('{}')
    const [event] = await wire.eventsOf(['worker.agent_commanded', 'worker.agent_command_failed'])
    expect(event).toMatchObject({ name: 'worker.agent_commanded', outcome: 'ok', details: { command: what } })
  })

  test.each<[string, object, number, string]>([
    ['does not allow it', { status: 403, body: { detail: 'Process control is disabled.' } }, 403, 'disabled'],
    ['cannot do it', { status: 501, body: { detail: 'Unpack the new archive.' } }, 502, 'Unpack'],
    ['does not know it', { status: 404, body: { detail: 'Not Found' } }, 502, "doesn't offer"],
    ['refuses the key', { status: 401 }, 502, 'refused the key'],
    ['fails', { status: 500 }, 502, 'answered 500'],
    ['is something else', { body: { hello: 1 } }, 502, 'no answer of an agent'],
    ['did not do it', { body: { ok: false, detail: 'no' } }, 502, 'no answer of an agent'],
  ])('that %s is a refusal that says so', async (_, answer, status, words) => {
    agent.behave(() => answer)
    const refused = await command('restart')
    expect(refused).toMatchObject({ status, json: { error: expect.stringContaining(words) } })
    const names = ['worker.agent_commanded', 'worker.agent_command_failed']
    expect((await wire.eventsOf(names)).slice(0, 2)).toMatchObject([
      { name: 'worker.agent_command_failed', outcome: 'error', details: { command: 'restart' } },
      { name: 'worker.agent_commanded', details: { command: 'restart' } },
    ])
  })

  test('is asked nothing without a reason', async () => {
    for (const body of [{}, { reason: ' ' }, { reason: 'r'.repeat(501) }])
      expect((await command('restart', body)).status).toBe(400)
    expect(agent.received).toEqual([])
  })

  test('is not called where a key would cross a network in clear', async () => {
    const { id } = await wire.register({ url: 'http://orange.example:8001' })
    expect((await health(id)).json).toMatchObject({
      reachable: false,
      error: expect.stringContaining('plain HTTP'),
    })
    expect((await command('restart', undefined, id)).status).toBe(502)
  })
})

describe('the script that makes a worker', () => {
  const script = (query = '') => wire.call(`GET ${R}/agent-install-script${query}`)
  let folder: string
  const alone = () => ({ NODE_ENV: 'test' as const, PATH: process.env.PATH, HOME: folder })
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'bloom-install-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('is text with the addresses of the configuration, and holds no key', async () => {
    await wire.configure(wire.plane.url, KEY)
    const { status, headers, text } = await script('?name=orange')
    expect([status, headers.get('content-type')]).toEqual([200, 'text/x-shellscript; charset=utf-8'])
    expect(text).toContain(`MEMBRIDGE_SERVER_URL=${wire.plane.url}`)
    expect(text).toContain(`BLOOM_RUNTIME_URL=${wire.whole.services.env.RUNTIME_URL}`)
    expect(text).toContain('MEMBRIDGE_NODE_ID=orange')
    for (const line of ['MEMBRIDGE_NODE_KEY=', 'MEMBRIDGE_AGENT_KEY='])
      expect(text).toContain(`'%s\\n' ${line} >>`)
    const { env } = wire.whole.services
    for (const secret of [KEY, env.RUNTIME_API_KEY, env.MEMBRIDGE_AGENT_KEY, env.MEMBRIDGE_ADMIN_KEY])
      expect(text).not.toContain(secret)
  })

  test.each(['a..b', 'a\nb', 'x'.repeat(129)])('is not made for %j', async (name) => {
    expect((await script(`?name=${encodeURIComponent(name)}`)).status).toBe(400)
  })

  test('installs the archive, and runs nothing that a name holds', { timeout: 120_000 }, async () => {
    const name = "o'$(touch pwned)`touch pwned`\";touch pwned;'"
    const { text } = await script(`?name=${encodeURIComponent(name)}`)
    const archive = await packEdge()
    await writeFile(path.join(folder, archive.name), archive.bytes)
    const run = () =>
      promisify(execFile)('/bin/sh', ['-c', text], {
        cwd: folder,
        env: alone(),
      })
    const { stdout } = await run()
    expect(stdout).toContain('membridge join --check')
    await expect(stat(path.join(folder, 'pwned'))).rejects.toThrow()
    const file = path.join(folder, '.claude-mem-minio/config.env')
    expect((await stat(file)).mode & 0o077).toBe(0)
    expect(parseConfigFile(await readFile(file, 'utf8'), folder)).toMatchObject({
      values: { MEMBRIDGE_NODE_ID: name, MEMBRIDGE_NODE_KEY: '', MEMBRIDGE_WORK: 'pull' },
      skipped: [],
    })
    const program = path.join(folder, '.local/bin/membridge')
    expect((await promisify(execFile)(program, ['--help'], { env: alone() })).stdout).toContain('join')
    // A second time changes no setting.
    const before = await readFile(file, 'utf8')
    expect((await run()).stdout).toContain('stays as it is')
    expect(await readFile(file, 'utf8')).toBe(before)
  })
})
