/**
 * tRPC over HTTP: the body is read and judged like REST's before tRPC sees it, so that size, depth and odd texts are refused
 * with the same envelope; multipart and forms are not accepted at all.
 */
import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { type ErrorCode, httpStatus } from '#domain/kernel/errors.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { factsOf } from '#server/auth/request-facts.ts'
import { webServices } from '#server/composition/web-services.ts'
import type { Face } from '#server/gate/face.ts'
import { auditRefusal } from '#server/gate/gate.ts'
import { faultOf, parseJson, readJsonBody } from '#server/gate/json-body.ts'
import { arrive } from '#server/gate/visit.ts'
import { refusalResponse, startingResponse } from '#server/http/answer.ts'
import type { Services } from '#server/services.ts'
import { appRouter } from './router.ts'
import { trpcRefusal } from './trpc-error.ts'

const MAX_BATCH = 20

/** Answers a tRPC request in the web process; 503 while the services are not there. */
export async function answerTrpcRequest(request: Request): Promise<Response> {
  const services = await webServices().catch(() => null)
  return services ? answerTrpc(services, request) : startingResponse(request)
}

export async function answerTrpc(services: Services, request: Request): Promise<Response> {
  const visit = await arrive(
    services,
    factsOf(request, 'trpc', { trustedProxies: services.env.TRUSTED_PROXIES }),
  )
  const read = request.method === 'POST' ? await readPost(request, visit.face) : readGet(request)
  if (!read.ok) {
    await auditRefusal(visit, 'trpc', read.refusal)
    return refusalResponse(read.refusal, visit)
  }
  return fetchRequestHandler({
    endpoint: '/api/trpc',
    req: read.value,
    router: appRouter,
    createContext: () => visit,
    maxBatchSize: MAX_BATCH,
    // A query with a long input may come in a body; a mutation still never comes by GET.
    allowMethodOverride: true,
    responseMeta: ({ errors }) => {
      const refusals = errors.map((error) => trpcRefusal(error).refusal)
      const wait = Math.max(0, ...refusals.map((refusal) => refusal.retryAfter ?? 0))
      if (wait > 0) visit.headers.set('retry-after', String(Math.ceil(wait)))
      const statuses = new Set(refusals.map((refusal) => httpStatus(refusal.code)))
      const [status] = statuses
      return { headers: visit.headers, ...(statuses.size === 1 && errors.length === 1 ? { status } : {}) }
    },
  })
}

const no = (code: ErrorCode, message: string): Result<never> => refuse({ code, message })

async function readPost(request: Request, face: Face): Promise<Result<Request>> {
  if (request.headers.has('idempotency-key') && new URL(request.url).pathname.includes(',')) {
    return no('BAD_REQUEST', 'An Idempotency-Key belongs to one call, not to a batch.')
  }
  const read = await readJsonBody(request, 'large', face)
  if (!read.ok) return read
  const { url, headers } = request
  return ok(new Request(url, { method: 'POST', headers, body: JSON.stringify(read.value.json) }))
}

function readGet(request: Request): Result<Request> {
  if (request.method !== 'GET') return no('METHOD_NOT_ALLOWED', 'Call a procedure by GET or POST.')
  const input = new URL(request.url).searchParams.get('input')
  if (input === null) return ok(request)
  const json = parseJson(Buffer.from(input))
  if (!json.ok) return json
  const fault = faultOf(json.value)
  return fault ? no('BAD_REQUEST', fault) : ok(request)
}
