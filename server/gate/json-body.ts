/**
 * Bodies as they may enter: read up to a limit (a declared length is not believed), JSON alone, not compressed, and free of
 * what no contract means: depth over 32, arrays over 1 000, NUL, lone surrogates, `__proto__` ([gate#the-order-of-the-gate]).
 */
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { BodyLimit } from '#server/operations/operation.ts'
import type { Face } from './face.ts'

const KIB = 1024
const BODY_LIMIT: Record<BodyLimit, number> = {
  normal: 100 * KIB,
  large: 2 * KIB * KIB,
  prompt: 640 * KIB,
  report: KIB * KIB + 64 * KIB,
}

const MAX_DEPTH = 32
const MAX_ITEMS = 1_000

/** The body as JSON with its exact bytes: nothing compressed, nothing but JSON, nothing longer than the limit. */
export async function readJsonBody(
  request: Request,
  limit: BodyLimit,
  { emptyBody }: Pick<Face, 'emptyBody'>,
): Promise<Result<{ bytes: Uint8Array; json: unknown }>> {
  const unsupported = (message: string) => refuse({ code: 'UNSUPPORTED_MEDIA_TYPE', message })
  if ((request.headers.get('content-encoding') ?? 'identity') !== 'identity') {
    return unsupported('Send the body without compression.')
  }
  const read = await readBytes(request, BODY_LIMIT[limit])
  if (!read.ok) return read
  const bytes = read.value
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
  const empty = bytes.length === 0 && emptyBody === 'object'
  if (empty && (type === '' || type === 'application/json')) return ok({ bytes, json: {} })
  if (type !== 'application/json') return unsupported('Send application/json.')
  const json = parseJson(bytes, { cleans: limit === 'report' })
  return json.ok ? ok({ bytes, json: json.value }) : json
}

/** The raw bytes of the body, or 413 as soon as the limit is passed. */
export async function readBytes(request: Request, limit: number): Promise<Result<Uint8Array>> {
  if (!request.body) return ok(new Uint8Array())
  const reader = request.body.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.byteLength
    if (size > limit) {
      await reader.cancel().catch(() => {})
      return refuse({
        code: 'PAYLOAD_TOO_LARGE',
        message: `The body is larger than ${limit} bytes.`,
        details: { limit_bytes: limit },
      })
    }
    chunks.push(value)
  }
  return ok(Buffer.concat(chunks, size))
}

/** @param cleans texts that a program printed lose what no text may hold, instead of being refused */
export function parseJson(bytes: Uint8Array, { cleans = false } = {}): Result<unknown> {
  try {
    const reviver = cleans ? cleaned : undefined
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes), reviver)
    const fault = faultOf(value)
    return fault ? refuse({ code: 'BAD_REQUEST', message: fault }) : ok(value)
  } catch {
    return refuse({ code: 'INVALID_JSON', message: 'The body is not JSON in UTF-8.' })
  }
}

const cleaned = (_: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value

/** What is wrong with the value as such, whatever its schema says; null when nothing is. */
export function faultOf(value: unknown, depth = 1): string | null {
  if (typeof value === 'string') return textFault(value)
  if (typeof value !== 'object' || value === null) return null
  if (depth > MAX_DEPTH) return `The value is nested deeper than ${MAX_DEPTH}.`
  if (Array.isArray(value)) {
    if (value.length > MAX_ITEMS) return `A list has more than ${MAX_ITEMS} items.`
    return firstFault(value.map((item) => () => faultOf(item, depth + 1)))
  }
  return firstFault(
    Object.keys(value).map(
      (key) => () =>
        key === '__proto__'
          ? 'A field may not be called __proto__.'
          : (textFault(key) ?? faultOf((value as Record<string, unknown>)[key], depth + 1)),
    ),
  )
}

function firstFault(checks: (() => string | null)[]): string | null {
  for (const check of checks) {
    const fault = check()
    if (fault) return fault
  }
  return null
}

function textFault(text: string): string | null {
  if (text.includes('\0')) return 'A text holds a NUL character.'
  return text.isWellFormed() ? null : 'A text is not well-formed Unicode.'
}
