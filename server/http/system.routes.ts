import { z } from 'zod'
import { runIdInput } from '#contracts/run-commands.contract.ts'
import { streamRequest } from '#contracts/stream.contract.ts'
import { ok } from '#domain/kernel/result.ts'
import { CONTENT_TYPE } from '#server/metrics/render.ts'
import { getRunObject } from '#server/runs/get-run-object.query.ts'
import { openStream, streamClients } from '#server/stream/open-stream.ts'
import { canServe } from '#server/system/can-serve.query.ts'
import { getMetrics } from '#server/system/get-metrics.query.ts'
import { type Route, route } from './route.ts'

const EVENT_STREAM = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
}
const METRICS = { 'content-type': CONTENT_TYPE }

/** What watches the product from outside, and reads that are more than JSON. */
export const systemRoutes: Route[] = [
  route({
    at: 'GET /health',
    policy: {
      open: 'load balancers ask it; it tells nothing but whether the process can serve',
      uncounted: true,
    },
    summary: 'Check whether this process can serve',
    tag: 'System',
    statusOf: ({ status }) => (status === 'ok' ? 200 : 503),
    output: z.object({ status: z.enum(['ok', 'unavailable']) }),
    run: async ({ services }) => ({
      status: (await canServe(services)) ? ('ok' as const) : ('unavailable' as const),
    }),
  }),
  route({
    at: 'GET /metrics',
    policy: { action: 'metrics.read', orKey: 'metrics' },
    summary: 'Get Prometheus metrics, as a signed-in user or with METRICS_TOKEN as bearer token',
    tag: 'System',
    output: null,
    run: async ({ services }) => {
      const streams = () => streamClients(services)
      return new Response(await getMetrics({ ...services, streams }), { headers: METRICS })
    },
  }),
  route({
    at: 'GET /api/v1/events/stream',
    policy: { action: 'stream.read' },
    summary: 'Stream server-sent events; Last-Event-ID resumes, `reset` means reload everything',
    tag: 'Events',
    input: streamRequest,
    output: null,
    run: async ({ services, caller, request }, { topics }) => {
      const lastId = request.headers.get('last-event-id')
      const opened = await openStream(services, { caller, topics, lastId, signal: request.signal })
      return opened.ok ? new Response(opened.value, { headers: EVENT_STREAM }) : opened
    },
  }),
  route({
    at: 'GET /api/v1/runs/{run_id}/status',
    policy: { action: 'run.read' },
    summary: 'Get status.json from the store; 503 while the store is unavailable',
    tag: 'Runs',
    input: runIdInput,
    output: z.record(z.string(), z.unknown()),
    run: async ({ services, request, headers }, { run_id }) => {
      const found = await getRunObject(services, { run_id, object: 'status' })
      if (!found.ok) return found
      const etag = `"${found.value.etag}"`
      headers.set('etag', etag)
      return request.headers.get('if-none-match') === etag
        ? new Response(null, { status: 304 })
        : ok(found.value.value)
    },
  }),
]
