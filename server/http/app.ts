/**
 * The REST surface: the rooms' route lists on Hono, and nothing that a route has not declared.
 *
 * Order for every request: identity → CSRF rule → rate limit → right → size and form of the body → schemas → Idempotency-Key
 * → use-case. A refusal of any step leaves as the one envelope and is audited; an unknown path is 404, a known one by another
 * method 405. The application holds no state; `services` comes with each request.
 */
import { Hono } from 'hono'
import { factsOf } from '#server/auth/request-facts.ts'
import type { Services } from '#server/composition/services.ts'
import { refusalResponse, startingResponse } from './answer.ts'
import { openApiDocument } from './openapi.ts'
import { performRoute } from './perform-route.ts'
import type { AnyRoute } from './route.ts'
import { restRoutes } from './routes.ts'

export const OPENAPI_PATH = '/api/v1/openapi.json'

/** Hono's form of an OpenAPI path: `{id}` → `:id`. */
const honoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

/** Builds the application over a list of routes; throws when two routes answer to the same method and path. */
export function createApp(services: () => Promise<Services>, routes: readonly AnyRoute[] = restRoutes): Hono {
  const app = new Hono()
  const methods = new Map<string, Set<string>>()
  for (const declared of routes) {
    const path = honoPath(declared.path)
    const known = methods.get(path) ?? new Set()
    if (known.has(declared.method)) throw new Error(`two routes for ${declared.method} ${declared.path}`)
    if (!declared.policy) throw new Error(`no policy for ${declared.method} ${declared.path}`)
    methods.set(path, known.add(declared.method))
    app.on(declared.method.toUpperCase(), path, async (c) =>
      performRoute(declared, await services(), c.req.raw, c.req.param()),
    )
  }
  app.get(OPENAPI_PATH, () =>
    Response.json(openApiDocument(routes), { headers: { 'cache-control': 'no-cache' } }),
  )
  for (const [path, known] of methods) app.all(path, (c) => notAllowed(c.req.raw, [...known]))
  app.notFound((c) =>
    refusalResponse(
      { code: 'NOT_FOUND', message: 'Not found.' },
      factsOf(c.req.raw, 'unknown').correlationId,
    ),
  )
  app.onError((_error, c) => startingResponse(c.req.raw))
  return app
}

function notAllowed(request: Request, known: string[]): Response {
  const { correlationId } = factsOf(request, 'unknown')
  const answer = refusalResponse(
    { code: 'METHOD_NOT_ALLOWED', message: 'This address is called by another method.' },
    correlationId,
  )
  answer.headers.set('allow', known.map((method) => method.toUpperCase()).join(', '))
  return answer
}
