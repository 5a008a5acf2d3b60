/**
 * The REST surface of the gateway: the routes on Hono, and nothing that is not declared. Every request passes the gate (server/gate). The
 * application holds no state; `services` comes with each request.
 */
import { Hono } from 'hono'
import type { Refusal } from '#domain/kernel/errors.ts'
import { factsOf } from '#server/auth/request-facts.ts'
import { createLog } from '#server/composition/log.ts'
import { PRODUCT_FACE } from '#server/gate/face.ts'
import { auditRefusal } from '#server/gate/gate.ts'
import { arrive } from '#server/gate/visit.ts'
import type { Services } from '#server/services.ts'
import { refusalResponse, startingResponse } from './answer.ts'
import { mountRoutes } from './mount-routes.ts'
import { openApiDocument } from './openapi.ts'
import { otherOrigins } from './other-origins.ts'
import type { Route } from './route.ts'
import { restRoutes } from './routes.ts'
import { createRuntimeApp, RUNTIME_PATHS } from './runtime-surface.ts'

export const OPENAPI_PATH = '/api/v1/openapi.json'
const ARTIFACTS = '/api/v1/artifacts'

const log = createLog({ LOG_LEVEL: 'info' }, 'web')

/** Builds the application over a list of routes; throws when two routes answer to the same method and path. */
export function createApp(services: () => Promise<Services>, routes: readonly Route[] = restRoutes): Hono {
  const app = new Hono()
  app.use(otherOrigins(services))
  app.get(OPENAPI_PATH, () =>
    Response.json(openApiDocument(routes), { headers: { 'cache-control': 'no-cache' } }),
  )
  app.on(['PUT', 'PATCH', 'DELETE'], [ARTIFACTS, `${ARTIFACTS}/*`], async (c) => {
    const ready = await services().catch(() => null)
    return ready ? refuseArtifactChange(ready, c.req.raw) : startingResponse(c.req.raw)
  })
  const runtime = createRuntimeApp({ services, log })
  for (const path of RUNTIME_PATHS) app.all(path, (c) => runtime.fetch(c.req.raw))
  return mountRoutes(app, { routes, services, face: PRODUCT_FACE, log })
}

/** Nobody changes or removes an artifact [artifacts#purpose]: 405, and who tried is in the audit. */
async function refuseArtifactChange(services: Services, request: Request): Promise<Response> {
  const endpoint = `${request.method} ${ARTIFACTS}`
  const facts = factsOf(request, endpoint, { trustedProxies: services.env.TRUSTED_PROXIES })
  const visit = await arrive(services, facts)
  const message = 'An artifact is final. It is never changed or removed.'
  const refusal: Refusal = { code: 'METHOD_NOT_ALLOWED', message }
  await auditRefusal(visit, endpoint, refusal)
  const answer = refusalResponse(refusal, visit)
  answer.headers.set('allow', 'GET, POST')
  return answer
}
