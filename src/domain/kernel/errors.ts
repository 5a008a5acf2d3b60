/**
 * The error codes of the product with the HTTP status and whether a repeat may help [auth#errors].
 * One table: the REST envelope, tRPC, the console's toasts and the OpenAPI document read it.
 */
export const ERRORS = {
  INVALID_JSON: [400, false],
  BAD_REQUEST: [400, false],
  AUTH_REQUIRED: [401, false],
  TOKEN_EXPIRED: [401, false],
  FORBIDDEN: [403, false],
  SAFE_OUTPUT_VIOLATION: [403, false],
  AUTHORITY_VIOLATION: [403, false],
  CONSENT_REQUIRED: [403, false],
  ZONE_CODE_INVALID: [403, false],
  TAINTED: [403, false],
  STEP_UP_REQUIRED: [403, true],
  NOT_FOUND: [404, false],
  TARGET_NOT_FOUND: [404, false],
  METHOD_NOT_ALLOWED: [405, false],
  INVALID_TRANSITION: [409, false],
  INVALID_AGENT_TRANSITION: [409, false],
  DUPLICATE_ENTRY: [409, false],
  DUPLICATE_OF_REJECTED: [409, false],
  IDEMPOTENCY_MISMATCH: [409, false],
  TARGET_EXISTS: [409, false],
  RUN_FINALIZING: [409, false],
  QUESTION_CLOSED: [409, false],
  JOB_WRITING: [409, false],
  AGENT_NOT_ACTIVE: [409, false],
  NODE_NOT_CALLABLE: [409, false],
  NODE_PROJECT_LIMIT: [409, false],
  STALE_REVIEW: [409, true],
  TARGET_CHANGED: [409, true],
  VERSION_CONFLICT: [409, true],
  CONCURRENT_MODIFICATION: [409, true],
  FENCE_STALE: [409, true],
  EPOCH_STALE: [409, true],
  PUSH_IN_FLIGHT: [409, true],
  SUGGESTIONS_OFF: [403, false],
  ZONE_EXPIRED: [410, false],
  ZONE_REVOKED: [410, false],
  ARTIFACT_REMOVED: [410, false],
  PAYLOAD_TOO_LARGE: [413, false],
  UNSUPPORTED_MEDIA_TYPE: [415, false],
  VALIDATION_FAILED: [422, false],
  DIFF_INVALID: [422, false],
  PATH_NOT_ALLOWED: [422, false],
  LIMIT_EXCEEDED: [422, false],
  MODEL_UNAVAILABLE: [422, false],
  RATE_LIMITED: [429, true],
  QUEUE_FULL: [429, true],
  INTERNAL_ERROR: [500, true],
  UPSTREAM_UNAVAILABLE: [502, true],
  NLM_UNAVAILABLE: [502, true],
  ARTIFACT_CORRUPT: [502, false],
  STORAGE_UNAVAILABLE: [503, true],
  NO_WORKER: [503, true],
  LEASE_UNKNOWN: [503, true],
  STARTING: [503, true],
  MAINTENANCE: [503, true],
} as const satisfies Record<string, readonly [number, boolean]>

export type ErrorCode = keyof typeof ERRORS

/** Why something did not happen. `details` is safe to show: no stack, no SQL, no secret. */
export type Refusal = { code: ErrorCode; message: string; details?: unknown; retryAfter?: number }

export const httpStatus = (code: ErrorCode): number => ERRORS[code][0]
export const retryable = (code: ErrorCode): boolean => ERRORS[code][1]

/** A refusal on its way through code that has no Result to return; every edge turns it into the one envelope. */
export class Refused extends Error {
  readonly refusal: Refusal
  constructor(code: ErrorCode, message: string, details?: unknown, retryAfter?: number) {
    super(message)
    this.name = 'Refused'
    this.refusal = {
      code,
      message,
      ...(details === undefined ? {} : { details }),
      ...(retryAfter === undefined ? {} : { retryAfter }),
    }
  }
}
