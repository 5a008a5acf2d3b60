/**
 * The surface of BLOOM Runtime, with a face of its own, and its addresses below a lease: `/lease/<token>/api/runtime/llm-tasks/…` is how a node that knows
 * no leases shows the one it has [runtime#claims]. The token goes on as a header, so it stands in no address that anything keeps.
 */
import { Hono } from 'hono'
import type { Logger } from 'pino'
import { RUNTIME_FACE } from '#server/gate/runtime-face.ts'
import { LEASE_HEADER } from '#server/runtime/identify-runtime-caller.ts'
import type { Services } from '#server/services.ts'
import { refuseUnseen } from './answer.ts'
import { mountRoutes } from './mount-routes.ts'
import type { Route } from './route.ts'
import { runtimeRoutes } from './runtime.routes.ts'

const BELOW_LEASE = /^\/lease\/([^/]+)(\/api\/runtime\/llm-tasks\/[^/]+\/(?:heartbeat|complete))$/

type Parts = { services: () => Promise<Services>; log: Pick<Logger, 'error'>; routes?: readonly Route[] }

/** Where this surface answers. */
export const RUNTIME_PATHS = ['/api/runtime/*', '/api/jobs/*', '/lease/*']

export function createRuntimeApp({ services, log, routes = runtimeRoutes }: Parts): Hono {
  const app = mountRoutes(new Hono(), { routes, services, face: RUNTIME_FACE, log })
  const surface = new Hono()
  surface.all('/lease/*', (c) => {
    const url = new URL(c.req.url)
    const found = BELOW_LEASE.exec(url.pathname)
    if (!found) return refuseUnseen(c.req.raw, { code: 'NOT_FOUND', message: 'Not found.' }, RUNTIME_FACE)
    const headers = new Headers(c.req.raw.headers)
    headers.set(LEASE_HEADER, found[1] as string)
    const { method, body, signal } = c.req.raw
    const inner = { method, headers, body, signal, ...(body ? { duplex: 'half' } : {}) }
    return app.fetch(new Request(new URL(found[2] as string, url.origin), inner))
  })
  surface.all('*', (c) => app.fetch(c.req.raw))
  return surface
}
