import type { z } from 'zod'
import { validationRefusal } from '#contracts/error.contract.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { BODY_LIMIT, faultOf, parseJson, readBytes } from './json-body.ts'
import type { AnyRoute } from './route.ts'

type Input = { params: unknown; query: unknown; body: unknown; bytes: Uint8Array }

/** Body, query and parameters by their schemas; the first refusal wins. */
export async function readInput(
  declared: AnyRoute,
  request: Request,
  rawParams: Record<string, string>,
): Promise<Result<Input>> {
  const given = queryOf(new URL(request.url).searchParams)
  const fault = faultOf(rawParams) ?? faultOf(given)
  if (fault) return refuse({ code: 'BAD_REQUEST', message: fault })
  const params = check(declared.params, rawParams)
  if (!params.ok) return params.refusal.code === 'VALIDATION_FAILED' ? refuse(NO_SUCH) : params
  const query = check(declared.query, given)
  if (!query.ok) return query
  if (declared.method === 'get') {
    return ok({ params: params.value, query: query.value, body: {}, bytes: new Uint8Array() })
  }
  const read = await readBody(declared, request)
  if (!read.ok) return read
  const body = check(declared.body, read.value.json)
  if (!body.ok) return body
  return ok({ params: params.value, query: query.value, body: body.value, bytes: read.value.bytes })
}

/** An id of another form names nothing, and looks no different from one that is missing. */
const NO_SUCH: Refusal = { code: 'NOT_FOUND', message: 'Not found.' }

async function readBody(
  declared: AnyRoute,
  request: Request,
): Promise<Result<{ bytes: Uint8Array; json: unknown }>> {
  const unsupported = (message: string) => refuse({ code: 'UNSUPPORTED_MEDIA_TYPE', message })
  if ((request.headers.get('content-encoding') ?? 'identity') !== 'identity') {
    return unsupported('Send the body without compression.')
  }
  const read = await readBytes(request, BODY_LIMIT[declared.limit ?? 'normal'])
  if (!read.ok) return read
  const bytes = read.value
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
  if (bytes.length === 0 && (type === '' || type === 'application/json')) return ok({ bytes, json: {} })
  if (type !== 'application/json') return unsupported('Send application/json.')
  const json = parseJson(bytes)
  return json.ok ? ok({ bytes, json: json.value }) : json
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function check(schema: z.ZodType | undefined, value: unknown): Result<unknown> {
  if (!schema) {
    const extra = isPlain(value) ? Object.keys(value) : ['']
    return extra.length === 0
      ? ok({})
      : refuse({
          code: 'VALIDATION_FAILED',
          message: 'Some fields are not valid.',
          details: extra
            .slice(0, 50)
            .map((field) => ({ field: field.slice(0, 200), message: 'is not known here' })),
        })
  }
  const parsed = schema.safeParse(value)
  return parsed.success ? ok(parsed.data) : refuse(validationRefusal(parsed.error))
}

/** A name given once is a text, given several times a list. */
function queryOf(search: URLSearchParams): Record<string, string | string[]> {
  const given: Record<string, string | string[]> = Object.create(null)
  for (const name of new Set(search.keys())) {
    const values = search.getAll(name)
    given[name] = values.length === 1 ? (values[0] as string) : values
  }
  return given
}
