import { TRPCError } from '@trpc/server'
import { type ErrorCode, httpStatus, type Refusal, Refused } from '#domain/kernel/errors.ts'
import { refusalOf } from '#server/auth/refusal-of.ts'

type TrpcCode = TRPCError['code']

const BY_STATUS: Record<number, TrpcCode> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_SUPPORTED',
  409: 'CONFLICT',
  410: 'PRECONDITION_FAILED',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'UNPROCESSABLE_CONTENT',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_SERVER_ERROR',
  502: 'BAD_GATEWAY',
  503: 'SERVICE_UNAVAILABLE',
}

/** tRPC's own faults (unknown path, wrong method, unreadable input) in our codes. */
const OWN: Partial<Record<TrpcCode, [ErrorCode, string]>> = {
  PARSE_ERROR: ['INVALID_JSON', 'The request is not readable.'],
  BAD_REQUEST: ['BAD_REQUEST', 'The request is not what this procedure expects.'],
  NOT_FOUND: ['NOT_FOUND', 'Not found.'],
  METHOD_NOT_SUPPORTED: ['METHOD_NOT_ALLOWED', 'This procedure is called by another method.'],
  UNSUPPORTED_MEDIA_TYPE: ['UNSUPPORTED_MEDIA_TYPE', 'Send application/json.'],
  PAYLOAD_TOO_LARGE: ['PAYLOAD_TOO_LARGE', 'The request is too large.'],
}

export function toTrpcError(refusal: Refusal): TRPCError {
  const { code, message, details, retryAfter } = refusal
  return new TRPCError({
    code: BY_STATUS[httpStatus(code)] ?? 'INTERNAL_SERVER_ERROR',
    message,
    cause: new Refused(code, message, details, retryAfter),
  })
}

/** The refusal inside a tRPC error. */
export function trpcRefusal(error: TRPCError): { refusal: Refusal; expected: boolean } {
  if (error.cause) {
    const answer = refusalOf(error.cause)
    // A storage that fails is not expected, and is still told as what it is.
    if (answer.refusal.code !== 'INTERNAL_ERROR' || error.code === 'INTERNAL_SERVER_ERROR') return answer
  }
  const own = OWN[error.code]
  if (own) return { refusal: { code: own[0], message: own[1] }, expected: true }
  return refusalOf(error)
}
