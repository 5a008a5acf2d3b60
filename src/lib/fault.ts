/**
 * What went wrong, in one shape for toasts, error states and forms. It is read off the product's envelope
 * [auth#errors], which the tRPC error formatter puts into `error.data.envelope` and REST answers as the body.
 */
/** What is wrong with one field; `reason` is a code where the console has a sentence of its own for it. */
export type FieldFault = { field: string; message: string; reason?: string }

export type Fault = {
  /** A code of the product, or NETWORK when no answer came, or UNKNOWN. */
  code: string
  /** The server's sentence; shown when the console has no translation for the code. */
  message: string
  correlationId?: string
  details?: unknown
  fields: FieldFault[]
  retryable: boolean
}

type Envelope = {
  error?: { code?: unknown; message?: unknown; details?: unknown; retryable?: unknown }
  correlation_id?: unknown
}

const isObject = (v: unknown): v is Record<string, unknown> => typeof v === 'object' && v !== null

function envelopeOf(error: unknown): Envelope | undefined {
  if (!isObject(error)) return undefined
  const data = isObject(error.data) ? error.data : undefined
  const found = [
    data?.envelope,
    isObject(error.shape) && isObject(error.shape.data) ? error.shape.data.envelope : undefined,
    error,
  ]
  return found.find(
    (e): e is Envelope => isObject(e) && isObject(e.error) && typeof e.error.code === 'string',
  )
}

function fieldsOf(details: unknown): FieldFault[] {
  if (!Array.isArray(details)) return []
  return details.filter(
    (d): d is FieldFault => isObject(d) && typeof d.field === 'string' && typeof d.message === 'string',
  )
}

/** Any thrown value as a Fault; never throws itself. */
export function toFault(error: unknown): Fault {
  const envelope = envelopeOf(error)
  if (envelope?.error) {
    const { code, message, details, retryable } = envelope.error
    return {
      code: String(code),
      message: typeof message === 'string' ? message : '',
      ...(typeof envelope.correlation_id === 'string' ? { correlationId: envelope.correlation_id } : {}),
      details,
      fields: fieldsOf(details),
      retryable: retryable === true,
    }
  }
  const message = error instanceof Error ? error.message : ''
  const unanswered =
    isObject(error) &&
    !('data' in error && error.data) &&
    /fetch|network|load failed|timed out/i.test(message)
  return { code: unanswered ? 'NETWORK' : 'UNKNOWN', message, fields: [], retryable: unanswered }
}

/** True when the browser knows that there is no network. */
export const isOffline = (): boolean => typeof navigator !== 'undefined' && navigator.onLine === false

/** The refusal of an action that is not even sent; it reads as the server's own do. */
export const offlineRefusal = (): Error =>
  Object.assign(new Error('Nothing was sent: there is no network.'), {
    error: { code: 'OFFLINE', message: 'Nothing was sent: there is no network.' },
  })

/** Codes after which the object on the page is out of date and is read again. */
export const RELOAD_CODES: ReadonlySet<string> = new Set([
  'INVALID_TRANSITION',
  'INVALID_AGENT_TRANSITION',
  'CONCURRENT_MODIFICATION',
  'FENCE_STALE',
  'EPOCH_STALE',
  'STALE_REVIEW',
  'TARGET_CHANGED',
  'VERSION_CONFLICT',
  'QUESTION_CLOSED',
])

/** An id that is none, and one that is nobody's or not for this reader, look alike. */
const MISSING_CODES: ReadonlySet<string> = new Set(['NOT_FOUND', 'VALIDATION_FAILED', 'BAD_REQUEST'])

/** True when an address names no object, or none that this reader may see. */
export const isMissing = ({ code }: Pick<Fault, 'code'>): boolean => MISSING_CODES.has(code)

/** True when the reader has to sign in again. */
export const isSignedOut = (fault: Fault): boolean =>
  fault.code === 'AUTH_REQUIRED' || fault.code === 'TOKEN_EXPIRED'
