import type { Hono } from 'hono'
import type { Logger } from 'pino'
import { refusalOf } from '#server/auth/refusal-of.ts'
import type { Face } from '#server/gate/face.ts'
import type { Services } from '#server/services.ts'
import { refuseUnseen, startingResponse } from './answer.ts'
import type { Route } from './route.ts'
import { serveRoute } from './serve-route.ts'

/** One HTTP surface: its routes and the face that they show; `services` comes with each request. */
export type Surface = {
  routes: readonly Route[]
  face: Face
  services: () => Promise<Services>
  log: Pick<Logger, 'error'>
}

/** Hono's form of an OpenAPI path: `{id}` → `:id`. */
const honoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

/**
 * Mounts the routes of a surface: each request passes the gate; an unknown path is 404, a known one by another method 405, both in
 * the surface's face. Throws when two routes answer to the same method and path, or one has no policy.
 */
export function mountRoutes(app: Hono, { routes, face, services, log }: Surface): Hono {
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
      if (!ready) return startingResponse(c.req.raw, face)
      return serveRoute(declared, ready, { request: c.req.raw, params: c.req.param(), face })
    })
  }
  for (const [path, known] of methods) app.all(path, (c) => notAllowed(c.req.raw, [...known], face))
  app.onError((error, c) => {
    log.error({ err: error }, 'an HTTP surface failed')
    return refuseUnseen(c.req.raw, refusalOf(error).refusal, face)
  })
  app.notFound((c) => refuseUnseen(c.req.raw, { code: 'NOT_FOUND', message: 'Not found.' }, face))
  return app
}

function notAllowed(request: Request, known: string[], face: Face): Response {
  const message = 'This address is called by another method.'
  const answer = refuseUnseen(request, { code: 'METHOD_NOT_ALLOWED', message }, face)
  answer.headers.set('allow', known.map((method) => method.toUpperCase()).join(', '))
  return answer
}
