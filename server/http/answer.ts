import { httpStatus, type Refusal } from '#domain/kernel/errors.ts'
import { factsOf } from '#server/auth/request-facts.ts'
import { PRODUCT_FACE } from '#server/gate/face.ts'
import { NOBODY, type Visit, visitOf } from '#server/gate/visit.ts'
import { count } from '#server/metrics/meter.ts'
import type { Services } from '#server/services.ts'

/** A refusal as the visit's face says it, with its headers. */
export function refusalResponse(
  refusal: Refusal,
  { face, correlationId, headers }: Pick<Visit, 'face' | 'correlationId' | 'headers'>,
): Response {
  headers.set('content-type', 'application/json; charset=utf-8')
  if (refusal.retryAfter !== undefined)
    headers.set('retry-after', String(Math.max(1, Math.ceil(refusal.retryAfter))))
  if (refusal.code === 'AUTH_REQUIRED' && face.callers === 'people') headers.set('www-authenticate', 'Bearer')
  const body = JSON.stringify(face.errorBody(refusal, correlationId))
  return new Response(body, { status: httpStatus(refusal.code), headers })
}

/** A refusal to a request that nobody has looked at: there is no such address, or no service yet. */
export function refuseUnseen(request: Request, refusal: Refusal, face = PRODUCT_FACE): Response {
  const code = String(httpStatus(refusal.code))
  count('garden_http_requests_total', { route: 'unmatched', method: knownMethod(request), code })
  const facts = factsOf(request, 'unknown', { ids: face.requestIds })
  return refusalResponse(refusal, visitOf({} as Services, NOBODY, facts, face))
}

/** A method is what the caller made up, until it is one of these. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const knownMethod = ({ method }: Request): string => (METHODS.includes(method) ? method : 'other')

/** What is answered while the services of the process are not there: the database is down, the garden is being made. */
export const startingResponse = (request: Request, face = PRODUCT_FACE): Response =>
  refuseUnseen(request, STARTING, face)

const STARTING: Refusal = {
  code: 'STARTING',
  message: 'The console is starting. Try again in a moment.',
  retryAfter: 2,
}
