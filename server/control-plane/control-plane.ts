/**
 * The process of the Membridge Control Plane [control-plane#process]: listens, answers, ends in order.
 *
 * Start: neither ledger nor object store has to answer; `/health` says how they are. Stop: no request is taken any more, open ones are
 * answered within DRAIN_MS, then what is kept in memory (folded refusals, counts) is written and the ledger closed.
 */
import type { Server } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import type { Logger } from 'pino'
import { createControlPlaneServices } from '#server/composition/control-plane-services.ts'
import { DETAIL_FACE } from '#server/gate/detail-face.ts'
import { mountRoutes } from '#server/http/mount-routes.ts'
import { stampPeerAddresses } from '#server/http/peer-address.ts'
import type { Route } from '#server/http/route.ts'
import type { Services } from '#server/services.ts'
import type { ControlPlaneEnv } from './control-plane-env.ts'
import { jobRoutes } from './job.routes.ts'
import { LEADERSHIP_ROUTES } from './leadership.routes.ts'
import { REGISTRY_ROUTES } from './registry.routes.ts'
import { SYNC_ROUTES } from './sync.routes.ts'
import { startSyncQueue } from './sync-queue.ts'
import { systemRoutes } from './system.routes.ts'

/** The launcher kills after 15 s. */
const DRAIN_MS = 10_000
/** Until a request has come in whole; an answer may take as long as a node does. */
const REQUEST_MS = 30_000

export type ControlPlane = { port: number; stop(): Promise<void> }

/** Everything that the control plane answers. */
export const controlPlaneRoutes = (consoleUrl: string): Route[] => [
  ...systemRoutes(consoleUrl),
  ...jobRoutes,
  ...REGISTRY_ROUTES,
  ...LEADERSHIP_ROUTES,
  ...SYNC_ROUTES,
]

/** The HTTP surface over these services. */
export const createControlPlaneApp = (services: Services, consoleUrl: string): Hono =>
  mountRoutes(new Hono(), {
    routes: controlPlaneRoutes(consoleUrl),
    face: DETAIL_FACE,
    services: async () => services,
    log: services.log,
  })

/** Starts the control plane; rejects when its port cannot be opened. */
export async function startControlPlane(env: ControlPlaneEnv, log: Logger): Promise<ControlPlane> {
  const services = await createControlPlaneServices(env, log)
  stampPeerAddresses()
  const { fetch } = createControlPlaneApp(services, env.PUBLIC_URL)
  const { server, port } = await listen(fetch, env).catch(async (error: unknown) => {
    await services.close().catch(() => {})
    throw error
  })
  const stopQueue = startSyncQueue(services)
  return {
    port,
    stop: async () => {
      stopQueue()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      await Promise.race([closed, pause(DRAIN_MS, undefined, { ref: false })])
      server.closeAllConnections()
      await services.close()
    },
  }
}

function listen(fetch: Hono['fetch'], env: ControlPlaneEnv) {
  return new Promise<{ server: Server; port: number }>((resolve, reject) => {
    const server = serve({ fetch, hostname: env.MEMBRIDGE_HOST, port: env.MEMBRIDGE_PORT }, ({ port }) =>
      resolve({ server, port }),
    ) as Server
    server.requestTimeout = REQUEST_MS
    server.once('error', reject)
  })
}
