/** The settings of BLOOM Runtime over HTTP: which control plane is called, what a test finds, and where a key never stands. */
import { Writable } from 'node:stream'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createLog } from '#server/composition/log.ts'
import { controlPlane, standIn } from '#server/runtime/testing/stand-in-server.ts'
import { createApp } from './app.ts'
import { ledgerDigest } from './testing/gateway.ts'
import { R } from './testing/runtime-wire.ts'
import { type Headers, KEY, OTHER_KEY, openSettingsWire, type SettingsWire } from './testing/settings-wire.ts'

let wire: SettingsWire
beforeAll(async () => {
  wire = await openSettingsWire()
})
afterAll(() => wire?.close())
beforeEach(() => wire.reset())

describe('the control plane', () => {
  test('is that of the environment until somebody names another', async () => {
    const { env } = wire.whole.services
    expect(await wire.config()).toEqual({
      membridge_server_url: env.MEMBRIDGE_URL,
      admin_key_masked: `****${env.MEMBRIDGE_ADMIN_KEY.slice(-4)}`,
      ...{ connected: false, last_test: null, source: 'environment' },
    })
  })

  test('is named with its key, of which four characters are shown', async () => {
    const saved = await wire.configure(`${wire.plane.url}/`, KEY)
    expect([saved.status, saved.json]).toEqual([
      200,
      {
        ...{ membridge_server_url: wire.plane.url, admin_key_masked: '****1234', connected: false },
        ...{ last_test: null, source: 'settings' },
      },
    ])
    expect(await wire.config()).toEqual(saved.json)
    expect(await wire.eventsOf(['config.changed'])).toMatchObject([
      {
        actor: 'owner',
        details: { changed: 'control_plane', membridge_server_url: wire.plane.url, replaced_key: true },
      },
      ...(await wire.eventsOf(['config.changed'])).slice(1),
    ])
    expect((await wire.configure(wire.plane.url, 'short')).json).toMatchObject({ admin_key_masked: '****' })
  })

  test('is not connected until it was tested, and no more after a change', async () => {
    await wire.configure(wire.plane.url, KEY)
    const tested = await wire.testIt()
    expect([tested.status, tested.json]).toEqual([
      200,
      {
        connected: true,
        health: {
          ...{ status: 'ok', service: 'membridge-control-plane', version: '0.4.0' },
          ...{ projects: 2, agents: 3, store: 'ok', database: 'ok' },
        },
      },
    ])
    expect(wire.plane.received.every(({ headers }) => headers['x-membridge-admin'] === KEY)).toBe(true)
    const after = await wire.config()
    expect(after).toMatchObject({ connected: true, last_test: { connected: true, error: null } })
    expect(after.last_test?.at).toBeGreaterThan(1e12)
    // The same once more is no change.
    expect((await wire.configure(wire.plane.url, KEY)).json).toEqual(after)
    expect((await wire.configure(wire.plane.url)).json).toEqual(after)
    expect((await wire.configure(wire.plane.url, KEY.replace('1234', '9999'))).json).toMatchObject({
      ...{ connected: false, last_test: null, admin_key_masked: '****9999' },
    })
  })

  test('of another host needs a key of its own: that of before goes nowhere', async () => {
    await wire.configure(wire.plane.url, KEY)
    await wire.testIt()
    const before = await ledgerDigest(wire.whole.services)
    for (const key of [undefined, null, '']) {
      const refused = await wire.configure(wire.other.url, key)
      expect([refused.status, refused.code]).toEqual([400, 'BAD_REQUEST'])
      expect(refused.json).toMatchObject({ error: expect.stringContaining('admin key') })
    }
    // Neither another scheme nor another name of the same machine.
    for (const url of [
      wire.plane.url.replace('http:', 'https:'),
      wire.plane.url.replace('127.0.0.1', 'localhost'),
      wire.whole.services.env.MEMBRIDGE_URL,
    ])
      expect((await wire.configure(url)).status).toBe(400)
    expect(await ledgerDigest(wire.whole.services)).toBe(before)
    await wire.testIt()
    expect(wire.other.received).toEqual([])
    const moved = await wire.configure(wire.other.url, OTHER_KEY)
    expect(moved.json).toMatchObject({ admin_key_masked: '****5678', connected: false, last_test: null })
    expect((await wire.testIt()).json).toMatchObject({ connected: true })
    expect(wire.other.received.map(({ headers }) => headers['x-membridge-admin'])).toEqual([
      OTHER_KEY,
      OTHER_KEY,
    ])
  })

  test('has its key bound to its host: a row that is changed by hand opens nothing', async () => {
    await wire.configure(wire.plane.url, KEY)
    await wire.whole.services.db.query(sql`UPDATE runtime_config SET server_url = ${wire.other.url}`)
    expect(await wire.config()).toMatchObject({ membridge_server_url: wire.other.url, admin_key_masked: '' })
    expect((await wire.testIt()).json).toEqual({
      ...{ connected: false, fault: 'key_unreadable', error: expect.stringContaining('Enter it again') },
    })
    await wire.whole.services.db.query(sql`UPDATE runtime_config SET admin_key = NULL`)
    expect((await wire.testIt()).json).toMatchObject({ connected: false, fault: 'no_key' })
    expect(wire.other.received).toEqual([])
  })

  test('keeps its key for another path of its host', async () => {
    await wire.configure(wire.plane.url, KEY)
    expect((await wire.configure(`${wire.plane.url}/fleet`)).json).toMatchObject({
      ...{ membridge_server_url: `${wire.plane.url}/fleet`, admin_key_masked: '****1234' },
    })
  })

  test.each<[string, string, unknown]>([
    ['no address', '', KEY],
    ['a file', 'file:///etc/passwd', KEY],
    ['a script', 'javascript:alert(1)', KEY],
    ['a password', 'http://me:secret@wire.plane.example', KEY],
    ['a query', 'https://wire.plane.example/?a=1', KEY],
    ['a fragment', 'https://wire.plane.example/#a', KEY],
    ['a backslash', 'https://wire.plane.example\\@wire.other.example', KEY],
    ['a key with a space', 'https://wire.plane.example', 'a key'],
    ['a key of two lines', 'https://wire.plane.example', 'a\nb'],
    ['a mask', 'https://wire.plane.example', '****1234'],
    ['a number for a key', 'https://wire.plane.example', 1],
  ])('is not named with %s', async (_, url, key) => {
    const before = await ledgerDigest(wire.whole.services)
    const refused = await wire.configure(url, key as string)
    expect([refused.status, refused.json]).toEqual([
      400,
      { error: { formErrors: expect.any(Array), fieldErrors: expect.any(Object) } },
    ])
    expect(await ledgerDigest(wire.whole.services)).toBe(before)
  })

  test('that refuses the key, or is something else, is not connected, and says why', async () => {
    await wire.configure(wire.plane.url, OTHER_KEY)
    const refused = await wire.testIt()
    expect([refused.status, refused.json]).toEqual([
      200,
      { connected: false, fault: 'refused_key', error: expect.stringContaining('refused the admin key') },
    ])
    expect(await wire.config()).toMatchObject({
      ...{ connected: false, last_test: { connected: false, fault: 'refused_key' } },
    })
    // What repeats what it was sent is not believed with it.
    wire.plane.behave(({ headers }) => ({ body: { status: String(headers['x-membridge-admin']) } }))
    await wire.configure(wire.plane.url, KEY)
    expect((await wire.testIt()).text).not.toContain(KEY)
  })

  test('that is away is asked four times', { timeout: 20_000 }, async () => {
    const away = await standIn()
    await wire.configure(away.url, KEY)
    await away.close()
    const began = performance.now()
    expect((await wire.testIt()).json).toEqual({
      ...{ connected: false, fault: 'unreachable', error: expect.stringContaining('did not answer') },
    })
    expect(performance.now() - began).toBeGreaterThan(3_400)
  })

  test('that changes during a test keeps nothing of it', async () => {
    await wire.configure(wire.plane.url, KEY)
    wire.plane.behave(async (asked) => {
      if (asked.at === 'GET /agents') await wire.configure(wire.plane.url, OTHER_KEY)
      return controlPlane(KEY)(asked)
    })
    expect((await wire.testIt()).json).toMatchObject({ connected: true })
    expect(await wire.config()).toMatchObject({ connected: false, last_test: null })
  })

  test('is tested twenty times a minute', async () => {
    await wire.configure(wire.plane.url, KEY)
    for (let n = 0; n < 20; n++)
      expect((await wire.testIt(wire.as.busy)).json).toMatchObject({ connected: true })
    const refused = await wire.testIt(wire.as.busy)
    expect([refused.status, refused.json]).toEqual([
      429,
      { error: 'Too many requests, please try again later' },
    ])
    expect([refused.headers.get('ratelimit-limit'), refused.headers.get('retry-after')]).toEqual([
      '20',
      expect.stringMatching(/^\d+$/),
    ])
    expect((await wire.testIt(wire.as.operator)).status).toBe(200)
  })

  test('is in the health of the runtime for who is known', async () => {
    await wire.configure(wire.plane.url, OTHER_KEY)
    await wire.testIt()
    await wire.testIt()
    const health = async (headers: Headers) =>
      z.looseObject({}).parse((await wire.call(`GET ${R}/health`, undefined, headers)).json)
    const failed = {
      ...{ consecutiveFailures: 2, lastSuccess: null, connected: false },
      lastError: expect.stringContaining('refused the admin key'),
    }
    for (const headers of [wire.as.owner, wire.as.operator, wire.as.machine]) {
      const { membridge, ...rest } = await health(headers)
      expect(membridge).toEqual(failed)
      expect(rest).toMatchObject({ status: 'ok', service: 'bloom-runtime', storage: 'postgresql' })
    }
    for (const headers of [
      {},
      wire.as.guest,
      { ...wire.as.machine, 'x-runtime-api-key': 'x' },
      { authorization: 'Bearer x' },
    ])
      expect(Object.keys(await health(headers))).toEqual(['status', 'service', 'uptime', 'storage'])
    await wire.configure(wire.plane.url, KEY)
    await wire.testIt()
    expect((await health(wire.as.owner)).membridge).toEqual({
      ...{ consecutiveFailures: 0, lastSuccess: expect.any(Number), lastError: null, connected: true },
    })
  })

  test('is changed and tested on the record, under the names of this wire', async () => {
    await wire.configure(wire.plane.url, KEY)
    await wire.testIt(wire.as.operator)
    await wire.configure(wire.plane.url, OTHER_KEY)
    await wire.testIt(wire.as.machine)
    const { json } = await wire.call(`GET ${R}/audit?limit=4`)
    expect(json).toMatchObject([
      { action: 'connection_test', actor: 'runtime-machine' },
      { action: 'config_updated', actor: 'owner' },
      { action: 'connection_test', actor: 'operator:olena' },
      { action: 'config_updated', actor: 'owner' },
    ])
    expect((await wire.eventsOf(['config.tested'])).slice(0, 2).map(({ outcome }) => outcome)).toEqual([
      'error',
      'ok',
    ])
  })
})

test('no key stands in an answer, an event or the ledger', async () => {
  await wire.configure(wire.plane.url, KEY)
  await wire.testIt()
  const { rows } = await wire.whole.services.db.query<{ text: string }>(
    sql`SELECT (SELECT json_agg(e)::text FROM event e) || (SELECT json_agg(c)::text FROM runtime_config c) AS text`,
  )
  const stored = await wire.whole.services.db.query<{ admin_key: Buffer }>(
    sql`SELECT admin_key FROM runtime_config`,
  )
  const bytes = Buffer.from(stored.rows[0]?.admin_key ?? []).toString('latin1')
  const { env } = wire.whole.services
  const secrets = [KEY, OTHER_KEY, env.MEMBRIDGE_ADMIN_KEY, env.RUNTIME_API_KEY, env.MEMBRIDGE_AGENT_KEY]
  for (const secret of secrets)
    for (const text of [rows[0]?.text ?? '', bytes, ...wire.answers])
      expect(text.includes(secret)).toBe(false)
  expect(bytes.length).toBe(12 + 16 + KEY.length)
})

test('no key stands in the log', async () => {
  const lines: string[] = []
  const destination = new Writable({
    write(chunk, _, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const log = createLog({ LOG_LEVEL: 'debug' }, 'test', destination)
  const app = createApp(async () => ({ ...wire.whole.services, log }))
  const post = (path: string, body: object) =>
    app.request(`${R}${path}`, { method: 'POST', headers: wire.as.owner, body: JSON.stringify(body) })
  for (const membridge_server_url of [wire.plane.url, 'not an address'])
    await post('/config', { membridge_server_url, admin_key: KEY })
  await post('/test-connection', {})
  log.error({ headers: { 'x-membridge-admin': KEY } }, `called with ${KEY}`)
  const text = lines.join('')
  expect(text).toContain('/api/runtime/config')
  expect(text).toContain('called with ****')
  for (const secret of [KEY, wire.whole.services.env.MEMBRIDGE_ADMIN_KEY]) expect(text).not.toContain(secret)
})
