/** Adding a node by the console's own way: who may, what the text holds, and where its secrets are not. */
import { createHmac } from 'node:crypto'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AddedNode } from '#contracts/node.contract.ts'
import { type TestGateway, testGateway } from '#server/http/testing/gateway.ts'
import { holdStill } from '#server/http/testing/whole-gateway.ts'
import { identifyMachineKey } from '#server/keys/identify-machine-key.ts'
import { IN_CLEAR, NOT_CALLABLE } from './node-address.ts'

let gateway: TestGateway
let owner: Record<string, string>
beforeAll(async () => {
  gateway = await testGateway({
    env: { BLOOM_HOME: '/srv/a garden', MEMBRIDGE_URL: 'https://bloom.example:8000' },
  })
  const session = await gateway.open({})
  await holdStill(gateway, session.sid)
  owner = await gateway.page(session)
})
afterAll(() => gateway?.close())

type Body = AddedNode & { error: { code: string; details?: unknown } }
const post = async (path: string, body: unknown, more: Record<string, string> = {}) => {
  const headers = { ...owner, ...more }
  const answer = await gateway.app.request(`/api/v1/nodes${path}`, {
    ...{ method: 'POST', headers },
    body: JSON.stringify(body),
  })
  return { status: answer.status, body: (await answer.json()) as Body }
}
const lineOf = (config: string, name: string) => new RegExp(`^${name}='?(.*?)'?$`, 'm').exec(config)?.[1]

describe('adding a node', () => {
  it('answers the whole text once, with a key that opens and one that is derived for it alone', async () => {
    const { status, body } = await post('', { node_id: ' attic/pi:1 ', project: "ann's garden" })
    expect(status).toBe(201)
    const { config } = body
    expect(config.replaceAll("'", '').split('\n').slice(1, 6)).toEqual([
      'MINIO_ENDPOINT=file:///srv/a%20garden/objects',
      'MINIO_BUCKET=bloom',
      'MINIO_REGION=us-east-1',
      'MEMBRIDGE_SERVER_URL=https://bloom.example:8000',
      'MEMBRIDGE_NODE_ID=attic/pi:1',
    ])
    expect(config).toContain(`CLAUDE_PROJECT_ID='ann'"'"'s garden'`)
    expect(body).toMatchObject({
      store: { kind: 'folder', reach: 'machine' },
      server: { url: 'https://bloom.example:8000', reach: 'network' },
    })
    const { services } = gateway
    const call = createHmac('sha256', services.env.MEMBRIDGE_AGENT_KEY).update('node:attic/pi:1')
    expect(lineOf(config, 'MEMBRIDGE_AGENT_KEY')).toBe(call.digest('base64url'))
    const presented = { key: lineOf(config, 'MEMBRIDGE_NODE_KEY') ?? null, via: 'control-plane' } as const
    const facts = {
      headers: new Headers({ host: 'localhost', 'x-peer-address': '127.0.0.1' }),
      correlationId: 'c',
    }
    const known = await identifyMachineKey(
      { ...services, env: { ...services.env, ALLOW_INSECURE_LAN: true } },
      'node',
      presented,
      facts,
    )
    expect(known.caller).toMatchObject({ role: 'node', identity: 'node:attic/pi:1' })
  })

  it('leaves neither key in the ledger, its events, or what is kept for a repeat, which answers the same', async () => {
    const more = { 'idempotency-key': 'add-once' }
    const first = await post('', { node_id: 'once' }, more)
    const again = await post('', { node_id: 'once' }, more)
    expect(again).toEqual(first)
    const secrets = ['MEMBRIDGE_NODE_KEY', 'MEMBRIDGE_AGENT_KEY'].map(
      (name) => lineOf(first.body.config, name) ?? '',
    )
    expect(secrets.every((secret) => secret.length >= 43)).toBe(true)
    const { rows } = await gateway.services.db.query<{ kept: string }>(sql`
      SELECT (SELECT string_agg(k::text, ' ') FROM machine_key k) || (SELECT string_agg(e::text, ' ') FROM event e)
        || coalesce((SELECT string_agg(i::text, ' ') FROM idempotency_key i), '') AS kept`)
    expect(rows[0]?.kept).toContain('once')
    for (const secret of secrets) expect(rows[0]?.kept).not.toContain(secret.replace(/^gbk_[0-9a-f]+_/, ''))
  })

  it('asks the owner for a password of the last minutes', async () => {
    const session = await gateway.open({})
    const stale = await gateway.page(session)
    expect((await post('', { node_id: 'later' }, stale)).body.error.code).toBe('STEP_UP_REQUIRED')
  })

  it.each<[Record<string, unknown>, string]>([
    [{}, 'no id'],
    [{ node_id: '../up' }, 'an id that climbs'],
    [{ node_id: 'a\nMEMBRIDGE_NODE_ID=b' }, 'a second line'],
    [{ node_id: 'x'.repeat(129) }, 'an id that is too long'],
    [{ node_id: 'ok', project: 'a\nb' }, 'a project of two lines'],
    [{ node_id: 'ok', endpoint: 'http://elsewhere' }, 'a field that is not known'],
  ])('refuses %j (%s) and makes no key', async (body, _why) => {
    expect((await post('', body)).status).toBe(422)
    const { rows } = await gateway.services.db.query(
      sql`SELECT FROM machine_key k WHERE k.node_id IN ('ok', '../up')`,
    )
    expect(rows).toEqual([])
  })

  it('refuses a third valid key of one node', async () => {
    for (const status of [201, 201, 422]) expect((await post('', { node_id: 'twice' })).status).toBe(status)
  })

  it('names a key by the start of a long id, whole characters only', async () => {
    const node_id = `${'x'.repeat(99)}😀${'y'.repeat(20)}`
    expect((await post('', { node_id })).status).toBe(201)
  })
})

describe('registering an agent from the console', () => {
  it.each(['ftp://x', 'http://user:word@x', 'http://x/?q', 'javascript:alert(1)', 'not an address'])(
    'refuses %s',
    async (url) => {
      expect((await post('/register', { node_id: 'shed', url })).status).toBe(422)
    },
  )

  it.each([
    ['http://shed:8001', IN_CLEAR, 'address_in_clear'],
    ['http://192.168.3.184:8001', IN_CLEAR, 'address_in_clear'],
    ['https://169.254.169.254', NOT_CALLABLE, 'address_not_callable'],
  ])('refuses %s, which no call would go to, at its field', async (url, message, reason) => {
    const { status, body } = await post('/register', { node_id: 'shed', url })
    expect(status).toBe(422)
    expect(body.error.details).toEqual([{ field: 'url', message, reason }])
    const { rows } = await gateway.services.db.query(sql`SELECT FROM membridge_agent a WHERE a.name = 'shed'`)
    expect(rows).toEqual([])
  })

  it('takes plain HTTP to this machine', async () => {
    expect((await post('/register', { node_id: 'here', url: 'http://127.0.0.1:8001' })).status).toBe(201)
  })

  it('takes an address once, and gives it back', async () => {
    expect((await post('/register', { node_id: 'shed', url: 'https://shed:8001/' })).status).toBe(201)
    expect((await post('/register', { node_id: 'shed', url: 'https://shed:8001' })).status).toBe(409)
    expect((await post('/unregister', { node_id: 'shed' })).status).toBe(200)
    expect((await post('/unregister', { node_id: 'shed' })).status).toBe(404)
  })
})
