import { tmpdir } from 'node:os'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ANONYMOUS, type Caller } from '#domain/authority/caller.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { requestGuards } from '#server/auth/request-guards.ts'
import { visitOf } from '#server/gate/visit.ts'
import { createKey } from '#server/keys/create-key.ts'
import type { Services } from '#server/services.ts'
import { appRouter } from '#server/trpc/router.ts'
import { createCallerFactory } from '#server/trpc/trpc.ts'
import { trpcRefusal } from '#server/trpc/trpc-error.ts'
import { revokeZone } from '#server/zones/change-zone.ts'
import { createZone } from '#server/zones/create-zone.ts'
import type { Route } from './route.ts'
import { restRoutes } from './routes.ts'
import { TRPC_ROWS } from './testing/authority-procedures.ts'
import { REST_ROWS } from './testing/authority-rows.ts'
import { OF_THIS_MACHINE, type TestGateway, testGateway } from './testing/gateway.ts'

const nameOf = (declared: Route) => `${declared.method.toUpperCase()} ${declared.path}`
const REACHED = 299

/** Every route with its policy as it stands, and in the place of its use-case an answer that says: you got through. */
const probes: Route[] = restRoutes.map((declared) => ({
  ...declared,
  params: undefined,
  input: z.any(),
  output: null,
  run: async () => new Response(null, { status: REACHED }),
}))

const KINDS = [
  'anonymous',
  'owner',
  'operator',
  'guest',
  'ended',
  'revoked',
  'tampered',
  'callback',
  'node key',
] as const
type Kind = (typeof KINDS)[number]
const OWNER: Caller = { role: 'owner', identity: 'owner', via: 'console' }

describe('over REST', () => {
  let gateway: TestGateway
  const headers = {} as Record<Kind, Record<string, string>>
  beforeAll(async () => {
    gateway = await testGateway({ routes: probes })
    const { services } = gateway
    const zones = await Promise.all(
      [1, 2].map(() =>
        createZone(services, { name: 'Z', description: '', folders: ['a'], tags: [], minutes: 60 }, OWNER),
      ),
    )
    const guestOf = (index: number) => {
      const made = zones[index]
      if (!made?.ok) throw new Error('no zone')
      const { zone_id, expires_at } = made.value.zone
      const zone = { zoneId: zone_id, expiresAt: new Date(expires_at), consentVersion: 1 }
      return gateway.open({ role: 'guest', identity: `zone:${zone_id}`, zone })
    }
    const [owner, operator, guest, gone, ended] = [
      await gateway.open({}),
      await gateway.open({ role: 'operator', identity: 'operator:test' }),
      await guestOf(0),
      await guestOf(1),
      await gateway.open({}),
    ]
    if (zones[1]?.ok) await revokeZone(services, zones[1].value.zone.zone_id, OWNER)
    await services.db.query(sql`UPDATE session SET ended_at = clock_timestamp() WHERE sid = ${ended.sid}`)
    const json = { 'content-type': 'application/json' }
    headers.owner = await gateway.bearer(owner)
    headers.operator = await gateway.bearer(operator)
    headers.guest = await gateway.bearer(guest)
    headers.ended = await gateway.bearer(ended)
    headers.revoked = await gateway.bearer(gone)
    headers.tampered = { ...headers.owner, authorization: `${headers.owner.authorization}x` }
    headers.callback = {
      ...{ ...json, ...OF_THIS_MACHINE },
      authorization: `Bearer ${services.env.MEMBRIDGE_CALLBACK_TOKEN}`,
    }
    const made = await createKey(
      services,
      { kind: 'node', node_id: 'attic', name: 'Attic', expires_in_days: null },
      OWNER,
    )
    if (!made.ok) throw new Error('no key')
    // A node's key opens nothing here, wherever it is put.
    const { secret } = made.value
    headers['node key'] = { ...json, authorization: `Bearer ${secret}`, 'x-membridge-agent': secret }
    const { origin, host } = new URL(services.env.PUBLIC_URL)
    headers.anonymous = { ...json, origin, host, 'x-garden': '1', 'sec-fetch-site': 'same-origin' }
  })
  afterAll(() => gateway.close())

  const call = async (declared: Route, kind: Kind, extra: Record<string, string> = {}) => {
    const init: RequestInit = {
      method: declared.method.toUpperCase(),
      headers: { ...headers[kind], ...extra },
    }
    if (declared.method !== 'get') init.body = '{}'
    const answer = await gateway.app.request(declared.path.replaceAll(/\{\w+\}/g, 'abc'), init)
    if (answer.status === REACHED) return 'reached'
    return ((await answer.json()) as { error: { code: string } }).error.code
  }

  /** What a caller of this kind gets at a route that is open to these; from the page, not from the code. */
  function expected(kind: Kind, open: string, reads: boolean): string {
    const may = open.split(' ')
    if (may.includes('anybody')) return 'reached'
    if (kind === 'ended') return 'TOKEN_EXPIRED'
    if (kind === 'revoked') return 'ZONE_REVOKED'
    if (['anonymous', 'tampered', 'callback', 'node key'].includes(kind)) return 'AUTH_REQUIRED'
    if (!may.includes(kind)) return kind === 'guest' && reads ? 'NOT_FOUND' : 'FORBIDDEN'
    return may.includes('+su') ? 'STEP_UP_REQUIRED' : 'reached'
  }

  test('every route has its row and every row its route', () => {
    expect(restRoutes.map(nameOf).sort()).toEqual(Object.keys(REST_ROWS).sort())
  })

  const people = restRoutes.filter((declared) => !('key' in declared.policy))
  test.each(people.map((declared) => [nameOf(declared)]))('%s', async (name) => {
    const declared = probes.find((probe) => nameOf(probe) === name) as Route
    // A route that wants one of our own pages is tried as one.
    const page = {
      origin: headers.anonymous.origin as string,
      host: headers.anonymous.host as string,
      'x-garden': '1',
    }
    await requestGuards(gateway.services).refusals.flush(gateway.services)
    const got = Object.fromEntries(
      await Promise.all(KINDS.map(async (kind) => [kind, await call(declared, kind, page)])),
    )
    const row = REST_ROWS[name] ?? 'nobody'
    expect(got).toEqual(
      Object.fromEntries(KINDS.map((kind) => [kind, expected(kind, row, declared.method === 'get')])),
    )
    const { rows } = await gateway.services.db.query<{ error_code: string }>(
      sql`SELECT DISTINCT error_code FROM event WHERE name = 'access.refused' AND resource_id = ${name}`,
    )
    const codes = rows.map((row) => row.error_code)
    const audited = Object.values(got).filter((code) => code !== 'reached' && code !== 'NOT_FOUND')
    expect(codes.sort()).toEqual([...new Set(audited)].sort())
  })

  test('machine routes are closed to people and to foreign keys', async () => {
    for (const declared of probes) {
      if (!('key' in declared.policy)) continue
      expect(REST_ROWS[nameOf(declared)]).toBe('key')
      const kinds: Kind[] = ['anonymous', 'owner', 'operator', 'guest', 'node key']
      // What only its use-case can check has got to its use-case; see the tests of jobs and artifacts.
      if (declared.policy.key !== 'callback') continue
      for (const kind of kinds) expect(await call(declared, kind, OF_THIS_MACHINE)).toBe('AUTH_REQUIRED')
      expect(await call(declared, 'callback')).toBe('reached')
    }
  })

  test('a header of the framework does not lead around the decision', async () => {
    const declared = probes.find((probe) => nameOf(probe) === 'GET /api/v1/zones') as Route
    const tricks = {
      'x-middleware-subrequest': 'proxy:proxy:proxy',
      'x-forwarded-for': '127.0.0.1',
      'x-original-url': '/health',
    }
    expect(await call(declared, 'anonymous', tricks)).toBe('AUTH_REQUIRED')
  })
})

describe('over tRPC', () => {
  const unreachable = new Proxy(
    {},
    { get: () => () => Promise.reject(new Refused('STORAGE_UNAVAILABLE', 'reached')) },
  )
  const log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} }
  const services = new Proxy(
    { log, database: unreachable, env: { BLOOM_HOME: tmpdir() } } as unknown as Services,
    {
      get: (known, name) => (name in known ? known[name as keyof Services] : unreachable),
    },
  )
  type Procedure = { _def: { type: string; meta?: { action?: string; open?: string } } }
  const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, Procedure>)

  const call = async (path: string, caller: Caller) => {
    const ctx = visitOf(services, { caller, steppedUp: false, refusal: null, byCookie: false }, null)
    const at = path
      .split('.')
      .reduce(
        (node, key) => (node as Record<string, unknown>)[key],
        createCallerFactory(appRouter)(ctx) as unknown,
      )
    try {
      await (at as (input: unknown) => Promise<unknown>)(undefined)
      return 'reached'
    } catch (error) {
      const { code } = trpcRefusal(error as never).refusal
      return ['AUTH_REQUIRED', 'FORBIDDEN', 'NOT_FOUND', 'STEP_UP_REQUIRED'].includes(code) ? code : 'reached'
    }
  }

  test('every procedure has its row, its policy, and every row its procedure', () => {
    expect(procedures.map(([path]) => path).sort()).toEqual(Object.keys(TRPC_ROWS).sort())
    for (const [path, { _def }] of procedures)
      expect([path, Boolean(_def.meta?.action || _def.meta?.open)]).toEqual([path, true])
  })

  const callers: [string, Caller][] = [
    ['anonymous', ANONYMOUS],
    ['owner', OWNER],
    ['operator', { role: 'operator', identity: 'operator:x', via: 'console' }],
    ['guest', { role: 'guest', identity: 'zone:12345678', via: 'console', zoneId: '12345678' }],
    ['agent', { role: 'agent', identity: 'agent:x', via: 'system' }],
    ['node', { role: 'node', identity: 'node:x', via: 'control-plane' }],
    ['service', { role: 'service', identity: 'nlm-backend', via: 'system' }],
  ]
  test.each(procedures.map(([path, { _def }]) => [path, _def.type]))('%s', async (path, type) => {
    const may = (TRPC_ROWS[path] ?? 'nobody').split(' ')
    for (const [kind, caller] of callers) {
      const refused =
        kind === 'anonymous'
          ? 'AUTH_REQUIRED'
          : kind === 'guest' && type === 'query'
            ? 'NOT_FOUND'
            : 'FORBIDDEN'
      const agent = kind === 'agent' && path === 'inbox.submit'
      const open = may.includes('anybody') || may.includes(kind) || agent
      const wanted = open ? (may.includes('+su') ? 'STEP_UP_REQUIRED' : 'reached') : refused
      expect([kind, await call(path, caller)]).toEqual([kind, wanted])
    }
  })
})
