/**
 * The REST surface: the routes on Hono, and nothing that is not declared. Every request passes the gate (server/gate); an
 * unknown path is 404, a known one by another method 405. The application holds no state; `services` comes with each request.
 */
import { Hono } from 'hono'
import type { Refusal } from '#domain/kernel/errors.ts'
import { refusalOf } from '#server/auth/refusal-of.ts'
import { factsOf } from '#server/auth/request-facts.ts'
import { createLog } from '#server/composition/log.ts'
import { auditRefusal } from '#server/gate/gate.ts'
import { arrive } from '#server/gate/visit.ts'
import type { Services } from '#server/services.ts'
import { refusalResponse, refuseUnseen, startingResponse } from './answer.ts'
import { openApiDocument } from './openapi.ts'
import { otherOrigins } from './other-origins.ts'
import type { Route } from './route.ts'
import { restRoutes } from './routes.ts'
import { serveRoute } from './serve-route.ts'

export const OPENAPI_PATH = '/api/v1/openapi.json'
const ARTIFACTS = '/api/v1/artifacts'

const log = createLog({ LOG_LEVEL: 'info' }, 'web')

/** Hono's form of an OpenAPI path: `{id}` → `:id`. */
const honoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

/** Builds the application over a list of routes; throws when two routes answer to the same method and path. */
export function createApp(services: () => Promise<Services>, routes: readonly Route[] = restRoutes): Hono {
  const app = new Hono()
  app.use(otherOrigins(services))
  const methods = new Map<string, Set<string>>()
  // Code-unit order puts what is written out before a parameter: `/zones/terms` is not a zone of that name.
  for (const declared of [...routes].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const path = honoPath(declared.path)
    const known = methods.get(path) ?? new Set()
    if (known.has(declared.method)) throw new Error(`two routes for ${declared.method} ${declared.path}`)
    if (!declared.policy) throw new Error(`no policy for ${declared.method} ${declared.path}`)
    methods.set(path, known.add(declared.method))
    app.on(declared.method.toUpperCase(), path, async (c) => {
      // Whoever composes the services logs why there are none.
      const ready = await services().catch(() => null)
      return ready ? serveRoute(declared, ready, c.req.raw, c.req.param()) : startingResponse(c.req.raw)
    })
  }
  app.get(OPENAPI_PATH, () =>
    Response.json(openApiDocument(routes), { headers: { 'cache-control': 'no-cache' } }),
  )
  app.on(['PUT', 'PATCH', 'DELETE'], [ARTIFACTS, `${ARTIFACTS}/*`], async (c) => {
    const ready = await services().catch(() => null)
    return ready ? refuseArtifactChange(ready, c.req.raw) : startingResponse(c.req.raw)
  })
  for (const [path, known] of methods) app.all(path, (c) => notAllowed(c.req.raw, [...known]))
  app.onError((error, c) => {
    log.error({ err: error }, 'the REST surface failed')
    return refuseUnseen(c.req.raw, refusalOf(error).refusal)
  })
  app.notFound((c) => refuseUnseen(c.req.raw, { code: 'NOT_FOUND', message: 'Not found.' }))
  return app
}

/** Nobody changes or removes an artifact [artifacts#purpose]: 405, and who tried is in the audit. */
async function refuseArtifactChange(services: Services, request: Request): Promise<Response> {
  const endpoint = `${request.method} ${ARTIFACTS}`
  const visit = await arrive(services, factsOf(request, endpoint, services.env.TRUSTED_PROXIES))
  const message = 'An artifact is final. It is never changed or removed.'
  const refusal: Refusal = { code: 'METHOD_NOT_ALLOWED', message }
  await auditRefusal(visit, endpoint, refusal)
  const answer = refusalResponse(refusal, visit)
  answer.headers.set('allow', 'GET, POST')
  return answer
}

function notAllowed(request: Request, known: string[]): Response {
  const message = 'This address is called by another method.'
  const answer = refuseUnseen(request, { code: 'METHOD_NOT_ALLOWED', message })
  answer.headers.set('allow', known.map((method) => method.toUpperCase()).join(', '))
  return answer
}
