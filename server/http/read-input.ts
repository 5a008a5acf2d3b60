import type { Refusal } from '#domain/kernel/errors.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Face } from '#server/gate/face.ts'
import { faultOf, readJsonBody } from '#server/gate/json-body.ts'
import { isLoose, isRecord, unknownFields } from '#server/gate/parse-input.ts'
import type { Route } from './route.ts'

/** An id of another form names nothing, and looks no different from one that is missing. */
const NO_SUCH: Refusal = { code: 'NOT_FOUND', message: 'Not found.' }

/** The fields of one input, gathered from path, query and body, and the exact bytes of the body. */
export async function readInput(
  route: Route,
  request: Request,
  params: Record<string, string>,
  face: Face,
): Promise<Result<{ value: unknown; bytes: Uint8Array }>> {
  const query = queryOf(new URL(request.url).searchParams)
  const fault = faultOf(params) ?? faultOf(query)
  if (fault) return refuse({ code: 'BAD_REQUEST', message: fault })
  if (route.params && !route.params.safeParse(params).success) return refuse(NO_SUCH)
  const strict = face.unknownFields === 'refused'
  const join = (given: unknown, bytes: Uint8Array) =>
    joined(given, { ...params, ...route.fixed }, strict && !isLoose(route.input), bytes)
  if (route.kind === 'read') return join(query, new Uint8Array())
  const odd = strict ? unknownFields(Object.keys(query)) : ok(undefined)
  if (!odd.ok) return odd
  const read = await readJsonBody(request, route.bodyLimit, face)
  return read.ok ? join(read.value.json, read.value.bytes) : read
}

/** What the address says stands; where fields are strict, a query or body that says it, too, has one too many. */
function joined(
  given: unknown,
  located: Record<string, string>,
  strict: boolean,
  bytes: Uint8Array,
): Result<{ value: unknown; bytes: Uint8Array }> {
  if (!isRecord(given)) return ok({ value: given, bytes })
  const twice = Object.keys(given).filter((name) => Object.hasOwn(located, name))
  const odd = strict ? unknownFields(twice) : ok(undefined)
  return odd.ok ? ok({ value: { ...given, ...located }, bytes }) : odd
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
