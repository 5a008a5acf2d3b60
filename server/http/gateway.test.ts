import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ok, refuse } from '#domain/kernel/result.ts'
import { addressHash } from '#server/auth/record-refusal.ts'
import { requestGuards } from '#server/auth/request-guards.ts'
import { signSession } from '#server/auth/session-token.ts'
import { createApp } from './app.ts'
import { type Route, route } from './route.ts'
import { ledgerDigest, OF_THIS_MACHINE, type TestGateway, testGateway } from './testing/gateway.ts'

let effects = 0
const tag = 'Test'
const response = z.object({ n: z.number() })
const body = z.object({ text: z.string().max(50), list: z.array(z.unknown()).optional() }).strict()
const routes: Route[] = [
  route({
    at: 'POST /api/v1/test/change',
    policy: { action: 'zone.manage' },
    summary: 'Has an effect',
    tag,
    input: body,
    output: response,
    status: 201,
    run: async (_ctx, given) => {
      if (given.text === 'refuse') return refuse({ code: 'INVALID_TRANSITION', message: 'No.' })
      if (given.text === 'misfit') return ok({ n: 'not a number' as never })
      if (given.text === 'crash') throw new Error('secret detail /root/path SELECT 1')
      return ok({ n: ++effects, hidden: 'not in the contract' })
    },
  }),
  route({
    at: 'POST /api/v1/test/risky',
    policy: { action: 'zone.manage', stepUp: true },
    summary: 'Needs a step-up',
    tag,
    output: response,
    run: async () => ok({ n: 1 }),
  }),
  route({
    at: 'GET /api/v1/test/read/{id}',
    policy: { action: 'note.read' },
    summary: 'Reads',
    tag,
    input: z.strictObject({ id: z.string().regex(/^[a-z]+$/), n: z.coerce.number().int().optional() }),
    output: response,
    run: async () => ok({ n: 1 }),
  }),
  route({
    at: 'POST /api/v1/test/callback',
    policy: { key: 'callback' },
    summary: 'A machine calls',
    tag,
    output: response,
    run: async () => ok({ n: 1 }),
  }),
]

let gateway: TestGateway
let owner: Record<string, string>
beforeAll(async () => {
  gateway = await testGateway({ routes })
  owner = await gateway.page(await gateway.open({}))
})
afterAll(() => gateway.close())

const CHANGE = '/api/v1/test/change'
const send = async (path: string, init: RequestInit = {}) => {
  const answer = await gateway.app.request(path, init)
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, json: text ? JSON.parse(text) : null }
}
const post = (payload: unknown, headers: Record<string, string> = owner, path = CHANGE) =>
  send(path, {
    method: 'POST',
    headers,
    body: typeof payload === 'string' ? payload : JSON.stringify(payload),
  })
const without = (headers: Record<string, string>, ...names: string[]) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))

describe('answers', () => {
  test('hold what the contract names and nothing else', async () => {
    const answer = await post({ text: 'x' })
    expect(answer.status).toBe(201)
    expect(Object.keys(answer.json)).toEqual(['n'])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('x-correlation-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(answer.headers.get('ratelimit-limit')).toBe('100000')
  })

  test('keep the correlation id of the caller, if it is one', async () => {
    const kept = await post({ text: 'x' }, { ...owner, 'x-correlation-id': 'abc-1' })
    expect(kept.headers.get('x-correlation-id')).toBe('abc-1')
    const odd = await post({ text: 'x' }, { ...owner, 'x-correlation-id': 'a b<script>' })
    expect(odd.headers.get('x-correlation-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('of a crash say nothing of its cause', async () => {
    const answer = await post({ text: 'crash' })
    expect([answer.status, answer.json.error.code, answer.json.error.retryable]).toEqual([
      500,
      'INTERNAL_ERROR',
      true,
    ])
    expect(answer.text).not.toMatch(/secret|root|SELECT/)
    expect(answer.json.correlation_id).toBe(answer.headers.get('x-correlation-id'))
  })

  test('that do not fit their contract are our fault, not the caller’s', async () => {
    const answer = await post({ text: 'misfit' })
    expect([answer.status, answer.json.error.code]).toEqual([500, 'INTERNAL_ERROR'])
  })

  test('are 404 for unknown paths and ids of another form, 405 with Allow for other methods', async () => {
    expect((await send('/api/v1/nothing')).json.error.code).toBe('NOT_FOUND')
    expect((await send('/api/v1/test/read/UPPER', { headers: owner })).json.error.code).toBe('NOT_FOUND')
    for (const method of ['PUT', 'DELETE', 'OPTIONS', 'GET']) {
      const answer = await send(CHANGE, { method, headers: owner })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
      expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    }
  })

  test('are 503 while the services are not there', async () => {
    const app = createApp(() => Promise.reject(new Error('no database')), routes)
    const answer = await app.request(CHANGE, { method: 'POST' })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2'])
  })
})

describe('bodies', () => {
  const deep = (levels: number) => `{"text":"x","list":${'['.repeat(levels)}${']'.repeat(levels)}}`
  test.each<[string, string, Record<string, string>, number, string]>([
    ['not JSON', '{', {}, 400, 'INVALID_JSON'],
    ['NaN', '{"text":NaN}', {}, 400, 'INVALID_JSON'],
    ['NUL', '{"text":"a\\u0000b"}', {}, 400, 'BAD_REQUEST'],
    ['a lone surrogate', '{"text":"\\ud800"}', {}, 400, 'BAD_REQUEST'],
    ['a key of NUL', '{"text":"x","\\u0000":1}', {}, 400, 'BAD_REQUEST'],
    ['__proto__', '{"text":"x","__proto__":{"admin":true}}', {}, 400, 'BAD_REQUEST'],
    ['__proto__ deep inside', '{"text":"x","list":[{"__proto__":1}]}', {}, 400, 'BAD_REQUEST'],
    ['31 levels', deep(30), {}, 201, ''],
    ['33 levels', deep(32), {}, 400, 'BAD_REQUEST'],
    ['1 000 items', `{"text":"x","list":[${Array(1_000).fill(1)}]}`, {}, 201, ''],
    ['1 001 items', `{"text":"x","list":[${Array(1_001).fill(1)}]}`, {}, 400, 'BAD_REQUEST'],
    ['a field too many', '{"text":"x","role":"owner"}', {}, 422, 'VALIDATION_FAILED'],
    ['a wrong type', '{"text":{}}', {}, 422, 'VALIDATION_FAILED'],
    ['a list', '[]', {}, 422, 'VALIDATION_FAILED'],
    ['null', 'null', {}, 422, 'VALIDATION_FAILED'],
    ['nothing', '', {}, 422, 'VALIDATION_FAILED'],
    ['another type', '{"text":"x"}', { 'content-type': 'text/plain' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'a form',
      'text=x',
      { 'content-type': 'application/x-www-form-urlencoded' },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'multipart',
      '--x',
      { 'content-type': 'multipart/form-data; boundary=x' },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['compression', '{"text":"x"}', { 'content-encoding': 'gzip' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['100 KB and a byte', JSON.stringify({ text: 'x'.repeat(102_400) }), {}, 413, 'PAYLOAD_TOO_LARGE'],
  ])('with %s', async (_what, payload, headers, status, code) => {
    const before = await ledgerDigest(gateway.services)
    const answer = await post(payload, { ...owner, ...headers })
    expect([answer.status, answer.json.error?.code ?? '']).toEqual([status, code])
    expect(await ledgerDigest(gateway.services)).toBe(before)
  })

  test('without end are left after the limit, whatever length they declare', async () => {
    // It does end, far behind the limit: a gateway that reads on must fail this test, not fill the machine.
    let sent = 0
    const endless = new ReadableStream({
      pull: (controller) => {
        sent += 1
        if (sent > 500) controller.close()
        else controller.enqueue(new Uint8Array(16 * 1024).fill(32))
      },
    })
    const init = {
      method: 'POST',
      headers: { ...owner, 'content-length': '5' },
      body: endless,
      duplex: 'half',
    } as RequestInit
    expect((await send(CHANGE, init)).status).toBe(413)
    expect(sent).toBeLessThan(20)
  })

  test('of odd bytes are no JSON', async () => {
    const init = { method: 'POST', headers: owner, body: new Uint8Array([0x22, 0xff, 0xfe, 0x22]) }
    expect((await send(CHANGE, init)).json.error.code).toBe('INVALID_JSON')
  })

  test.each(['?n=1&n=2', '?n=x', '?other=1', '?n=%00', '?__proto__=1'])(
    'queries like %s are refused',
    async (query) => {
      const answer = await send(`/api/v1/test/read/abc${query}`, { headers: owner })
      expect([400, 422]).toContain(answer.status)
    },
  )
})

describe('who may', () => {
  const cells = async (headers: Record<string, string>, path = CHANGE) => {
    const answer = await post({ text: 'x' }, headers, path)
    return [answer.status, answer.json.error?.code ?? '']
  }
  test('a tampered, foreign, unsigned or expired token is nobody', async () => {
    const session = await gateway.open({})
    const { authorization } = await gateway.bearer(session)
    const [head, claims, mac] = (authorization as string).slice(7).split('.') as [string, string, string]
    const forged = Buffer.from(
      JSON.stringify({ ...JSON.parse(Buffer.from(claims, 'base64url').toString()), sid: 'x' }),
    ).toString('base64url')
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${claims}.`
    const { sid, identity, role } = session
    const key = gateway.services.env.BLOOM_SESSION_KEY
    const expired = await signSession(key, 'bearer', {
      sid,
      sub: identity,
      role,
      expiresAt: new Date(1_000_000),
    })
    const foreign = await signSession(`other-${key}`, 'bearer', {
      sid,
      sub: identity,
      role,
      expiresAt: session.expiresAt,
    })
    const asCookie = await signSession(key, 'cookie', {
      sid,
      sub: identity,
      role,
      expiresAt: session.expiresAt,
    })
    const bad = [`${head}.${forged}.${mac}`, none, foreign, asCookie, 'x', `${head}.${claims}.${mac}x`]
    const json = { 'content-type': 'application/json' }
    for (const token of bad) {
      expect(await cells({ ...json, authorization: `Bearer ${token}` })).toEqual([401, 'AUTH_REQUIRED'])
    }
    expect(await cells({ ...json, authorization: `Bearer ${expired}` })).toEqual([401, 'TOKEN_EXPIRED'])
    expect(await cells({ ...json, authorization: 'Basic eDp5' })).toEqual([401, 'AUTH_REQUIRED'])
    expect(await cells({ ...json, authorization: authorization as string })).toEqual([201, ''])
  })

  test('a session that has ended, grown idle or old is over', async () => {
    for (const change of [
      sql`ended_at = clock_timestamp()`,
      sql`expires_at = clock_timestamp()`,
      sql`last_seen_at = clock_timestamp() - interval '12 hours'`,
    ]) {
      const session = await gateway.open({})
      const headers = await gateway.bearer(session)
      expect(await cells(headers)).toEqual([201, ''])
      await gateway.services.db.query(sql`UPDATE session SET ${change} WHERE sid = ${session.sid}`)
      expect(await cells(headers)).toEqual([401, 'TOKEN_EXPIRED'])
    }
  })

  test('using a session keeps it from growing idle', async () => {
    const session = await gateway.open({})
    await gateway.services.db.query(
      sql`UPDATE session SET last_seen_at = clock_timestamp() - interval '11 hours' WHERE sid = ${session.sid}`,
    )
    await cells(await gateway.bearer(session))
    const { rows } = await gateway.services.db.query<{ fresh: boolean }>(
      sql`SELECT last_seen_at > clock_timestamp() - interval '1 hour' AS fresh FROM session WHERE sid = ${session.sid}`,
    )
    expect(rows[0]?.fresh).toBe(true)
  })

  test('a step-up holds for five minutes', async () => {
    const session = await gateway.open({})
    const headers = await gateway.page(session)
    expect((await post({}, headers, '/api/v1/test/risky')).json.error.code).toBe('STEP_UP_REQUIRED')
    const set = (ago: string) =>
      gateway.services.db.query(
        sql`UPDATE session SET step_up_at = clock_timestamp() - ${ago}::interval WHERE sid = ${session.sid}`,
      )
    await set('4 minutes')
    expect((await post({}, headers, '/api/v1/test/risky')).status).toBe(200)
    await set('5 minutes')
    expect((await post({}, headers, '/api/v1/test/risky')).json.error.code).toBe('STEP_UP_REQUIRED')
  })

  test('a machine key opens its own route only', async () => {
    const callback = {
      ...OF_THIS_MACHINE,
      authorization: `Bearer ${gateway.services.env.MEMBRIDGE_CALLBACK_TOKEN}`,
      'content-type': 'application/json',
    }
    expect((await post({}, callback, '/api/v1/test/callback')).status).toBe(200)
    const far = { ...callback, 'x-garden-peer': '10.0.0.9' }
    expect((await post({}, far, '/api/v1/test/callback')).status).toBe(403)
    expect(await cells(callback)).toEqual([401, 'AUTH_REQUIRED'])
    const nlm = { ...callback, authorization: `Bearer ${gateway.services.env.NOTEBOOKLM_API_KEY}` }
    expect((await post({}, nlm, '/api/v1/test/callback')).status).toBe(401)
    expect((await post({}, owner, '/api/v1/test/callback')).status).toBe(401)
  })
})

describe('changes by cookie', () => {
  const foreign: [string, (headers: Record<string, string>) => Record<string, string>][] = [
    ['without the console header', (h) => without(h, 'x-garden')],
    ['without an origin', (h) => without(h, 'origin')],
    ['with the origin null', (h) => ({ ...h, origin: 'null' })],
    ['from another origin', (h) => ({ ...h, origin: 'https://evil.example' })],
    ['from another port', (h) => ({ ...h, origin: 'http://localhost:3001' })],
    ['from another site', (h) => ({ ...h, 'sec-fetch-site': 'cross-site' })],
    ['from a sister site', (h) => ({ ...h, 'sec-fetch-site': 'same-site' })],
    ['from the address bar', (h) => ({ ...h, 'sec-fetch-site': 'none' })],
    ['as a form', (h) => ({ ...h, 'content-type': 'application/x-www-form-urlencoded', 'x-garden': '' })],
  ]
  test.each(foreign)('%s have no effect', async (_what, change) => {
    const before = effects
    const answer = await post({ text: 'x' }, change(owner))
    expect([403, 415]).toContain(answer.status)
    expect(effects).toBe(before)
  })

  test('from an older browser need the origin alone', async () => {
    expect((await post({ text: 'x' }, without(owner, 'sec-fetch-site'))).status).toBe(201)
  })

  test('reads from another site are refused as well', async () => {
    const init = { headers: { ...owner, 'sec-fetch-site': 'cross-site' } }
    expect((await send('/api/v1/test/read/abc', init)).status).toBe(403)
    expect(
      (await send('/api/v1/test/read/abc', { headers: { ...owner, 'sec-fetch-site': 'none' } })).status,
    ).toBe(200)
  })
})

describe('an Idempotency-Key', () => {
  const postWithKey = (key: string, payload: unknown = { text: 'x' }) =>
    post(payload, { ...owner, 'idempotency-key': key })
  test('gives one effect to fifty parallel requests, and its answer to the next', async () => {
    const before = effects
    const answers = await Promise.all(Array.from({ length: 50 }, () => postWithKey('one')))
    expect(effects).toBe(before + 1)
    for (const answer of answers) expect([201, 409]).toContain(answer.status)
    const again = await postWithKey('one')
    expect([again.status, again.headers.get('idempotent-replay')]).toEqual([201, 'true'])
    expect(again.json).toEqual(answers.find((a) => a.status === 201)?.json)
  })

  test('belongs to one body and one caller', async () => {
    await postWithKey('two')
    expect((await postWithKey('two', { text: 'y' })).json.error.code).toBe('IDEMPOTENCY_MISMATCH')
    const other = await gateway.bearer(await gateway.open({ role: 'owner', identity: 'owner:second' }))
    expect((await post({ text: 'y' }, { ...other, 'idempotency-key': 'two' })).status).toBe(201)
  })

  test('is given back by a refusal and by a crash', async () => {
    for (const [text, status] of [
      ['refuse', 409],
      ['crash', 500],
    ] as const) {
      expect((await postWithKey(text, { text })).status).toBe(status)
      expect((await postWithKey(text, { text: 'x' })).status).toBe(201)
    }
  })

  test('is visible and short', async () => {
    expect((await postWithKey('x'.repeat(129))).status).toBe(400)
    expect((await postWithKey('a b')).status).toBe(400)
  })
})

describe('refusals', () => {
  test.each(['PUT', 'PATCH', 'DELETE'])('%s of an artifact is 405 and in the audit', async (method) => {
    const peer = `10.7.8.${method.length}`
    for (const path of ['/api/v1/artifacts', '/api/v1/artifacts/art-1', '/api/v1/artifacts/art-1/content']) {
      const answer = await gateway.app.request(path, { method, headers: { 'x-garden-peer': peer } })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, POST'])
      expect(await answer.json()).toMatchObject({ error: { code: 'METHOD_NOT_ALLOWED' } })
    }
    const address = addressHash(gateway.services.env.BLOOM_ADDRESS_KEY, peer)
    const { rows } = await gateway.services.db.query(
      sql`SELECT resource_id FROM event WHERE name = 'access.refused' AND error_code = 'METHOD_NOT_ALLOWED' AND details->>'address_hash' = ${address}`,
    )
    expect(rows).toEqual([{ resource_id: `${method} /api/v1/artifacts` }])
  })

  test('are recorded once, and their repetitions together', async () => {
    const headers = { 'content-type': 'application/json', 'x-garden-peer': '10.7.7.7' }
    for (let i = 0; i < 4; i++) await post({ text: 'x' }, headers)
    const address = addressHash(gateway.services.env.BLOOM_ADDRESS_KEY, '10.7.7.7')
    const read = async () =>
      (
        await gateway.services.db.query<{
          details: { count: number; address_hash: string }
          resource_id: string
        }>(
          sql`SELECT * FROM event WHERE name = 'access.refused' AND error_code = 'AUTH_REQUIRED' AND details->>'address_hash' = ${address} ORDER BY id DESC LIMIT 1`,
        )
      ).rows
    expect((await read())[0]?.details.count).toBe(1)
    await requestGuards(gateway.services).refusals.flush(gateway.services)
    const [folded] = await read()
    expect(folded?.details.count).toBe(3)
    expect(JSON.stringify(folded)).not.toContain('10.7.7.7')
  })
})
