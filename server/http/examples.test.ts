import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { EXAMPLES } from './examples.ts'
import { addressOf, openApiDocument } from './openapi.ts'
import type { Route } from './route.ts'
import { restRoutes } from './routes.ts'
import { type ExampleWorld, exampleWorld } from './testing/example-world.ts'
import { holdStill } from './testing/whole-gateway.ts'

let world: ExampleWorld
beforeAll(async () => {
  world = await exampleWorld()
})
afterAll(() => world.close())

const document = openApiDocument(restRoutes)
const described = (route: Route) => document.paths[route.path]?.[route.method]

test('every example is of an address that there is', () => {
  const known = new Set(restRoutes.map(addressOf))
  expect(Object.keys(EXAMPLES).filter((address) => !known.has(address))).toEqual([])
})

test.each(restRoutes.map((route) => [addressOf(route), route] as const))(
  '%s: its example passes the schemas of the document',
  (address, route) => {
    const { query = {}, body } = EXAMPLES[address] ?? {}
    if (route.query) expect(route.query.safeParse(query).error).toBeUndefined()
    if (route.body) expect(route.body.safeParse(body ?? {}).error).toBeUndefined()
    for (const parameter of described(route)?.parameters ?? [])
      if (parameter.required) expect(parameter.example, parameter.name).toBeDefined()
    if (route.params)
      expect(route.params.safeParse(Object.fromEntries(pathExamples(route))).error).toBeUndefined()
  },
)

const pathExamples = (route: Route) =>
  (described(route)?.parameters ?? [])
    .filter((one) => one.in === 'path')
    .map((one) => [one.name, one.example])

/** Only a component with its key can send these; what they ask for is tested with their rooms. */
const byPeople = restRoutes.filter((route) => !('key' in route.policy))
/** No worker probes here; an owner has no consent to give and changes what a guest may only suggest; nothing was set aside, no job failed; no channel for alerts is configured. */
const OTHER_STATUS: Record<string, number> = {
  'GET /health': 503,
  'GET /api/v1/zones/terms': 404,
  'POST /api/v1/zones/consent': 404,
  'POST /api/v1/notes/suggestions': 403,
  'POST /api/v1/alert-channels/test': 400,
  'POST /api/v1/jobs/failures/resolve': 409,
  'POST /api/v1/system/projection-faults/{resource_type}/{resource_id}/retry': 404,
}

describe('sent to the gateway by the owner', () => {
  test.each(byPeople.map((route) => [addressOf(route), route] as const))('%s', async (address, route) => {
    const session = await world.gateway.open({})
    await holdStill(world.gateway, session.sid)
    const fromPage = 'open' in route.policy && route.policy.fromConsole
    const headers = await world.gateway[fromPage ? 'page' : 'bearer'](session)
    const send = async (method: string, path: string, body?: unknown) =>
      world.gateway.app.request(path, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    const { query = {}, body } = EXAMPLES[address] ?? {}
    const real = await world.realOf(address, send)
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(real.path?.[name] ?? ''))
    const search = new URLSearchParams(
      Object.entries({ ...query, ...real.query }).map(([name, value]) => [name, String(value)]),
    )
    const given = body === undefined ? undefined : { ...(body as object), ...real.body }
    const notified = vi.fn()
    const stopListening = world.gateway.services.notifier.on('events', notified)
    const before = await lastEvent()
    const answer = await send(route.method.toUpperCase(), `${path}?${search}`, given)
    const text = await textOf(answer)
    stopListening()
    expect(answer.status, text).toBe(OTHER_STATUS[address] ?? route.status)
    if ((await lastEvent()) > before) expect(notified, 'the sealer is notified').toHaveBeenCalled()
  })
})

async function lastEvent(): Promise<number> {
  const { rows } = await world.gateway.services.db.query<{ id: number }>(
    sql`SELECT coalesce(max(id), 0)::int AS id FROM event`,
  )
  return rows[0]?.id ?? 0
}

async function textOf(answer: Response): Promise<string> {
  if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) return answer.text()
  await answer.body?.cancel()
  return 'a stream'
}
