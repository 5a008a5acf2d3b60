/**
 * The face of the Membridge Control Plane, as its existing clients know it [control-plane#wire]: a refusal is `{"detail": "…"}`, or a list
 * of `{loc, msg, type}` for fields that do not fit; fields that nobody knows are left out, and `X-Request-ID` names the request.
 *
 * A 409 or a fault of ours also says `code`, and what it has to add (`from`, `allowed`), beside `detail`. The bodies of 401, 404, 405 and 422
 * hold `detail` alone, because scripts compare them whole.
 */
import { randomBytes } from 'node:crypto'
import { type FieldFault, fieldFaults } from '#contracts/field-faults.ts'
import { httpStatus } from '#domain/kernel/errors.ts'
import type { Face } from './face.ts'
import { isRecord } from './parse-input.ts'

const DETAIL_ALONE: readonly number[] = [401, 404, 405]

export const DETAIL_FACE: Face = {
  errorBody: ({ code, message, details }) => {
    const status = httpStatus(code)
    if (status === 422) return { detail: faultsOf(message, details) }
    if (DETAIL_ALONE.includes(status)) return { detail: message }
    return { ...(isRecord(details) ? details : {}), detail: message, code }
  },
  invalidInput: (misfit) => ({
    code: 'VALIDATION_FAILED',
    message: 'Some fields are not valid.',
    details: fieldFaults(misfit),
  }),
  unknownFields: 'ignored',
  emptyBody: 'object',
  requestIds: {
    header: 'x-request-id',
    accepts: /^[\x20-\x7e]{1,128}$/,
    make: () => randomBytes(6).toString('hex'),
  },
  callers: 'machines',
  idempotencyKeys: 'ignored',
}

/** The faults of a refusal; one whose details are of another form, or that has none, is a fault of the whole body. */
function faultsOf(message: string, details: unknown): FieldFault[] {
  const listed = (Array.isArray(details) ? details : []).flatMap((one) => faultOf(one) ?? [])
  return listed.length > 0 ? listed : [{ loc: ['body'], msg: message, type: 'value_error' }]
}

function faultOf(one: unknown): FieldFault | null {
  if (!isRecord(one)) return null
  if (Array.isArray(one.loc)) return one as FieldFault
  if (typeof one.field !== 'string' || typeof one.message !== 'string') return null
  return { loc: ['body', ...one.field.split('.').filter(Boolean)], msg: one.message, type: 'value_error' }
}
