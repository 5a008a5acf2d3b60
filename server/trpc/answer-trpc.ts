/**
 * tRPC over HTTP: the body is read and judged like REST's before tRPC sees it, so that size, depth and odd texts are refused
 * with the same envelope; multipart and forms are not accepted at all.
 */
import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { type ErrorCode, httpStatus, type Refusal } from '#domain/kernel/errors.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { gateOf } from '#server/auth/gate.ts'
import type { Services } from '#server/composition/services.ts'
import { refusalResponse, startingResponse } from '#server/http/answer.ts'
import { BODY_LIMIT, faultOf, parseJson, readBytes } from '#server/http/json-body.ts'
import { type Context, requestContext } from './context.ts'
import { appRouter } from './router.ts'
import { webServices } from './services.ts'
import { trpcRefusal } from './trpc-error.ts'

const MAX_BATCH = 20

/** Answers a tRPC request in the web process; 503 while the services are not there. */
export async function answerTrpcRequest(request: Request): Promise<Response> {
  const services = await webServices().catch(() => null)
  return services ? answerTrpc(services, request) : startingResponse(request)
}

export async function answerTrpc(services: Services, request: Request): Promise<Response> {
  const ctx = await requestContext(services, request)
  const read = request.method === 'POST' ? await readPost(request) : readGet(request)
  if (!read.ok) return refused(ctx, read.refusal)
  return fetchRequestHandler({
    endpoint: '/api/trpc',
    req: read.value,
    router: appRouter,
    createContext: () => ctx,
    maxBatchSize: MAX_BATCH,
    responseMeta: ({ errors }) => {
      const refusals = errors.map((error) => trpcRefusal(error).refusal)
      const wait = Math.max(0, ...refusals.map((refusal) => refusal.retryAfter ?? 0))
      if (wait > 0) ctx.headers.set('retry-after', String(Math.ceil(wait)))
      const statuses = new Set(refusals.map((refusal) => httpStatus(refusal.code)))
      const [status] = statuses
      return { headers: ctx.headers, ...(statuses.size === 1 && errors.length === 1 ? { status } : {}) }
    },
  })
}

async function refused(ctx: Context, refusal: Refusal): Promise<Response> {
  const { caller, request } = ctx
  const address = request?.address ?? 'unknown'
  await gateOf(ctx.services).refusals.record(ctx.services, { caller, address, endpoint: 'trpc', refusal })
  return refusalResponse(refusal, ctx.correlationId)
}

const no = (code: ErrorCode, message: string): Result<never> => refuse({ code, message })

async function readPost(request: Request): Promise<Result<Request>> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') return no('UNSUPPORTED_MEDIA_TYPE', 'Send application/json.')
  if ((request.headers.get('content-encoding') ?? 'identity') !== 'identity') {
    return no('UNSUPPORTED_MEDIA_TYPE', 'Send the body without compression.')
  }
  const bytes = await readBytes(request, BODY_LIMIT.large)
  if (!bytes.ok) return bytes
  const json = bytes.value.length === 0 ? ok({}) : parseJson(bytes.value)
  if (!json.ok) return json
  const { url, headers } = request
  return ok(new Request(url, { method: 'POST', headers, body: JSON.stringify(json.value) }))
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
