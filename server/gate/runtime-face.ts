/**
 * The face of BLOOM Runtime, as its existing clients know it [runtime#wire]: a refusal is `{"error": "…"}` with a code, or `{"error": {formErrors,
 * fieldErrors}}` with 400 for fields that do not fit; fields that nobody knows are left out, an empty body is `{}`.
 */
import { z } from 'zod'
import { httpStatus } from '#domain/kernel/errors.ts'
import { CORRELATION_IDS } from '#server/auth/request-facts.ts'
import type { Face } from './face.ts'
import { isRecord } from './parse-input.ts'

/** Texts that existing clients compare. */
const SAID_ALONE: Readonly<Record<number, string | null>> = {
  401: 'Unauthorized',
  404: null,
  429: 'Too many requests, please try again later',
}

export const RUNTIME_FACE: Face = {
  errorBody: ({ code, message, details }) => {
    const status = httpStatus(code)
    if (status in SAID_ALONE) return { error: SAID_ALONE[status] ?? message }
    if (isRecord(details) && 'fieldErrors' in details) return { error: details }
    return { ...(isRecord(details) ? details : {}), error: message, code }
  },
  invalidInput: ({ error }) => {
    const { formErrors, fieldErrors } = z.flattenError(error)
    return {
      code: 'BAD_REQUEST',
      message: 'Some fields are not valid.',
      details: { formErrors, fieldErrors },
    }
  },
  unknownFields: 'ignored',
  emptyBody: 'object',
  requestIds: CORRELATION_IDS,
  callers: 'people',
  limit: { scope: 'runtime', perMinute: 100 },
  idempotencyKeys: 'ignored',
}
