/** One route under both faces: what it does is the same, how it looks is each wire's own. */
import { Writable } from 'node:stream'
import { Hono } from 'hono'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { refuse } from '#domain/kernel/result.ts'
import { PEER_HEADER } from '#server/auth/request-facts.ts'
import { createLog } from '#server/composition/log.ts'
import { DETAIL_FACE } from '#server/gate/detail-face.ts'
import { type Face, PRODUCT_FACE } from '#server/gate/face.ts'
import { mountRoutes } from './mount-routes.ts'
import { type Route, route } from './route.ts'
import { OF_THIS_MACHINE, type TestGateway, testGateway } from './testing/gateway.ts'

let gateway: TestGateway
let effects = 0
const lines: string[] = []
const declared: Route[] = [
  route({
    at: 'POST /things/{name}',
    policy: { key: 'admin' },
    summary: 'Counts',
    tag: 'Test',
    input: z.strictObject({ name: z.string().regex(/^[a-z]+$/), n: z.coerce.number().optional() }),
    output: z.object({ name: z.string(), ok: z.boolean(), effects: z.number() }),
    run: async (_, { name, n }) => {
      if (n === 409)
        return refuse({
          code: 'INVALID_TRANSITION',
          message: 'No.',
          details: { from: 'DEAD', allowed: ['requeue'] },
        })
      effects += 1
      return { name, ok: true, effects }
    },
  }),
]
const surface = (face: Face) => {
  const destination = new Writable({
    write(chunk, _, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const log = createLog({ LOG_LEVEL: 'info' }, 'test', destination)
  const services = async () => ({ ...gateway.services, log })
  return mountRoutes(new Hono(), { routes: declared, face, services, log })
}
beforeAll(async () => {
  gateway = await testGateway()
})
afterAll(() => gateway.close())

type Options = { headers?: Record<string, string>; body?: string; path?: string; method?: string }
const call = async (
  face: Face,
  { headers = {}, body, path = '/things/seed', method = 'POST' }: Options = {},
) => {
  const all = {
    ...OF_THIS_MACHINE,
    'x-membridge-admin': gateway.services.env.MEMBRIDGE_ADMIN_KEY,
    'content-type': 'application/json',
    ...headers,
  }
  const answer = await surface(face).request(path, {
    method,
    headers: all,
    ...(body === undefined ? {} : { body }),
  })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

describe.each([
  ['product', PRODUCT_FACE],
  ['detail', DETAIL_FACE],
])('under the %s face', (_, face) => {
  test('it does the same, in compact JSON', async () => {
    const before = effects
    const { status, text } = await call(face, { body: '{ "n": 1 }' })
    expect([status, text]).toEqual([200, `{"name":"seed","ok":true,"effects":${before + 1}}`])
  })

  test('an empty body is an empty object', async () => {
    expect((await call(face)).status).toBe(200)
    expect((await call(face, { body: '' })).status).toBe(200)
  })

  test.each<[number, string, Options]>([
    [400, 'INVALID_JSON', { body: '{"n":' }],
    [400, 'BAD_REQUEST', { body: '{"n":"\\u0000"}' }],
    [401, 'AUTH_REQUIRED', { headers: { 'x-membridge-admin': 'wrong' } }],
    [403, 'FORBIDDEN', { headers: { [PEER_HEADER]: '10.0.0.9' } }],
    [404, 'NOT_FOUND', { path: '/things/SEED' }],
    [404, 'NOT_FOUND', { path: '/nothing' }],
    [405, 'METHOD_NOT_ALLOWED', { method: 'DELETE' }],
    [409, 'INVALID_TRANSITION', { body: '{"n":409}' }],
    [413, 'PAYLOAD_TOO_LARGE', { body: `{"n":"${'9'.repeat(102_400)}"}` }],
    [415, 'UNSUPPORTED_MEDIA_TYPE', { body: 'n=1', headers: { 'content-type': 'text/plain' } }],
    [422, 'VALIDATION_FAILED', { body: '{"n":"many"}' }],
  ])('%i %s changes nothing and has the form of this face', async (status, code, options) => {
    const before = effects
    const answer = await call(face, options)
    const json = JSON.parse(answer.text)
    expect([answer.status, effects]).toEqual([status, before])
    if (face === PRODUCT_FACE)
      expect(json).toMatchObject({ error: { code }, correlation_id: expect.any(String) })
    else expect([json.error, typeof json.detail]).toEqual([undefined, status === 422 ? 'object' : 'string'])
    if (status === 405) expect(answer.headers.get('allow')).toBe('POST')
  })
})

describe('unknown fields', () => {
  const body = '{"n":1,"new_in_the_client":true,"name":"other"}'
  test('are refused by the product', async () => {
    expect((await call(PRODUCT_FACE, { body })).status).toBe(422)
    expect((await call(PRODUCT_FACE, { path: '/things/seed?new=1' })).status).toBe(422)
  })

  test('are left out of what existing clients send; what the address says stands', async () => {
    const { status, text } = await call(DETAIL_FACE, { body })
    expect([status, JSON.parse(text).name]).toEqual([200, 'seed'])
    expect((await call(DETAIL_FACE, { path: '/things/seed?new=1' })).status).toBe(200)
  })
})

describe('the detail face', () => {
  test('answers as existing clients know it, byte for byte', async () => {
    const unauthorized = await call(DETAIL_FACE, { headers: { 'x-membridge-admin': '' } })
    expect(unauthorized.text).toBe('{"detail":"Unauthorized — invalid or missing X-MEMBRIDGE-ADMIN header"}')
    expect(unauthorized.headers.get('www-authenticate')).toBeNull()
    expect((await call(DETAIL_FACE, { body: '{"n":409}' })).text).toBe(
      '{"from":"DEAD","allowed":["requeue"],"detail":"No.","code":"INVALID_TRANSITION"}',
    )
    const invalid = await call(DETAIL_FACE, { body: '{"n":"many"}' })
    expect(JSON.parse(invalid.text)).toEqual({
      detail: [{ loc: ['body', 'n'], msg: expect.any(String), type: 'invalid_type' }],
    })
  })

  test.each([
    ['kept', 'ab cd/=~!', /^ab cd\/=~!$/],
    [
      'kept at its longest',
      'a request id of '.repeat(8).trim().padEnd(128, '.'),
      /^(a request id of ?){8}\.+$/,
    ],
    ['made when it is too long', 'x'.repeat(129), /^[0-9a-f]{12}$/],
    ['made when it is not ASCII', 'é', /^[0-9a-f]{12}$/],
    ['made when it is empty', '', /^[0-9a-f]{12}$/],
  ])('an X-Request-ID is %s, and in the log', async (_, sent, expected) => {
    for (const options of [{}, { path: '/nothing' }, { headers: { 'x-membridge-admin': 'no' } }]) {
      const headers = { ...(options as Options).headers, 'x-request-id': sent }
      const given = (await call(DETAIL_FACE, { ...options, headers })).headers.get('x-request-id') ?? ''
      expect(given).toMatch(expected)
    }
    const id = (await call(DETAIL_FACE, { headers: { 'x-request-id': sent } })).headers.get('x-request-id')
    expect(JSON.parse(lines.at(-1) ?? '{}')).toMatchObject({
      msg: 'request',
      route: '/things/{name}',
      correlation_id: id,
    })
  })

  test('an Idempotency-Key means nothing there', async () => {
    const headers = { 'idempotency-key': 'one' }
    const first = await call(DETAIL_FACE, { headers })
    const second = await call(DETAIL_FACE, { headers })
    expect(JSON.parse(second.text).effects).toBe(JSON.parse(first.text).effects + 1)
  })

  test('a person’s session opens nothing there', async () => {
    const session = await gateway.page(await gateway.open({}))
    const headers = { ...session, 'x-membridge-admin': '' }
    expect((await call(DETAIL_FACE, { headers })).status).toBe(401)
  })
})

test('a wrong admin key is in the audit as nobody’s, without the key', async () => {
  await call(DETAIL_FACE, { headers: { 'x-membridge-admin': 'canary-of-a-wrong-key' } })
  const { rows } = await gateway.services.db.query<{ actor: string; via: string; whole: string }>(
    sql`SELECT actor, via, e::text AS whole FROM event e WHERE name = 'access.refused' AND error_code = 'AUTH_REQUIRED'`,
  )
  expect(rows[0]).toMatchObject({ actor: 'anonymous', via: 'control-plane' })
  expect(rows.map(({ whole }) => whole).join()).not.toContain('canary')
})
