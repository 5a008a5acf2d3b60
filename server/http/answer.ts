import { envelopeOf } from '#contracts/error.contract.ts'
import { httpStatus, type Refusal } from '#domain/kernel/errors.ts'
import { factsOf } from '#server/auth/request-facts.ts'

/** Headers that every answer of the API carries. */
export function baseHeaders(correlationId: string): Headers {
  return new Headers({
    'x-correlation-id': correlationId,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
}

export function refusalResponse(
  refusal: Refusal,
  correlationId: string,
  headers = baseHeaders(correlationId),
): Response {
  headers.set('content-type', 'application/json; charset=utf-8')
  if (refusal.retryAfter !== undefined)
    headers.set('retry-after', String(Math.max(1, Math.ceil(refusal.retryAfter))))
  if (refusal.code === 'AUTH_REQUIRED') headers.set('www-authenticate', 'Bearer')
  const body = JSON.stringify(envelopeOf(refusal, correlationId))
  return new Response(body, { status: httpStatus(refusal.code), headers })
}

/** What is answered while the services of the process are not there: the database is down, the garden is being made. */
export function startingResponse(request: Request): Response {
  const refusal: Refusal = {
    code: 'STARTING',
    message: 'The console is starting. Try again in a moment.',
    retryAfter: 2,
  }
  return refusalResponse(refusal, factsOf(request, 'unknown').correlationId)
}
