import { streamRequest } from '#contracts/stream.contract.ts'
import { openStream } from '#server/stream/open-stream.ts'
import { type AnyRoute, route } from './route.ts'

export const streamRoutes: AnyRoute[] = [
  route({
    method: 'get',
    path: '/api/v1/events/stream',
    policy: { action: 'stream.read' },
    summary: 'Server-sent events; Last-Event-ID resumes, `reset` means: read everything again',
    tag: 'Events',
    query: streamRequest,
    response: null,
    handle: async ({ services, caller, query, request }) => {
      const lastId = request.headers.get('last-event-id')
      const opened = await openStream(services, {
        caller,
        topics: query.topics,
        lastId,
        signal: request.signal,
      })
      if (!opened.ok) return opened
      return new Response(opened.value, {
        headers: {
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-store, no-transform',
          'x-accel-buffering': 'no',
        },
      })
    },
  }),
]
