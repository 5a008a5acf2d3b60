import { z } from 'zod'
import { navigationCounts as countsView, systemHealth as healthView } from '#contracts/system.contract.ts'
import { ok } from '#domain/kernel/result.ts'
import { canServe } from '#server/system/can-serve.query.ts'
import { getHealth } from '#server/system/get-health.query.ts'
import { getMetrics } from '#server/system/get-metrics.query.ts'
import { getNavigationCounts } from '#server/system/get-navigation-counts.query.ts'
import { type AnyRoute, route } from './route.ts'

const tag = 'System'

export const systemRoutes: AnyRoute[] = [
  route({
    method: 'get',
    path: '/health',
    policy: {
      open: 'load balancers ask it; it tells nothing but whether the process can serve',
      uncounted: true,
    },
    summary: 'Whether this process can serve',
    tag,
    response: z.object({ status: z.enum(['ok', 'unavailable']) }),
    handle: async ({ services, answer }) => {
      const serves = await canServe(services)
      answer.status = serves ? 200 : 503
      return ok({ status: serves ? ('ok' as const) : ('unavailable' as const) })
    },
  }),
  route({
    method: 'get',
    path: '/metrics',
    policy: { action: 'metrics.read' },
    summary: 'Prometheus metrics',
    tag,
    response: null,
    handle: async ({ services }) =>
      new Response(await getMetrics(services), {
        headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
      }),
  }),
  route({
    method: 'get',
    path: '/api/v1/system/health',
    policy: { action: 'health.read' },
    summary: 'Health of every component, as canonical storage shows it',
    tag,
    response: healthView,
    handle: async ({ services, answer }) => {
      const health = await getHealth(services)
      if (health.status === 'critical') answer.status = 503
      return ok(health)
    },
  }),
  route({
    method: 'get',
    path: '/api/v1/system/counts',
    policy: { action: 'health.read' },
    summary: 'What waits for somebody',
    tag,
    response: countsView,
    handle: async ({ services }) => ok(await getNavigationCounts(services)),
  }),
]
