/**
 * The API reference (`/api/v1/docs`), read off the OpenAPI document: what there is by subject, and one operation with its
 * fields, who may call it and an example to copy.
 */
import { type Action, may } from '#domain/authority/matrix.ts'
import type { Policy } from '#server/operations/operation.ts'
import { type ApiField, fieldOf, fieldsOf } from './api-fields.ts'
import { addressOf, type DescribedOperation, openApiDocument } from './openapi.ts'
import { restRoutes } from './routes.ts'

/** Who may call: people by role, a component with a key, or anybody. */
export type ApiCallers = { roles: readonly Role[]; key: boolean; stepUp: boolean }
type Role = 'owner' | 'operator' | 'guest'

export type ApiEntry = { address: string; method: string; path: string; summary: string; tag: string }
export type ApiOperation = ApiEntry & {
  callers: ApiCallers
  parameters: (ApiField & { in: 'path' | 'query' })[]
  body: ApiField[]
  status: string
  answer: ApiField[]
  /** A command for a shell; the token stands in `$TOKEN`. */
  example: string
}

const ROLES = ['owner', 'operator', 'guest'] as const satisfies Role[]

let document: ReturnType<typeof openApiDocument> | undefined
const theDocument = () => {
  document ??= openApiDocument(restRoutes)
  return document
}

/** Everything that can be called, by subject and then as it is declared. */
export function apiEntries(): ApiEntry[] {
  return restRoutes
    .map((route) => ({
      address: addressOf(route),
      method: route.method.toUpperCase(),
      path: route.path,
      summary: route.summary,
      tag: route.tag,
    }))
    .sort((a, b) => (a.tag === b.tag ? 0 : a.tag < b.tag ? -1 : 1))
}

/** One operation by its address (`GET /api/v1/jobs`), or null; `origin` is where the example is sent. */
export function apiOperation(address: string, origin: string): ApiOperation | null {
  const entry = apiEntries().find((one) => one.address === address)
  const described = entry && theDocument().paths[entry.path]?.[entry.method.toLowerCase()]
  if (!described) return null
  const [status = '200', answer] = Object.entries(described.responses)[0] ?? []
  return {
    ...entry,
    callers: callersOf(described['x-policy']),
    parameters: (described.parameters ?? []).map((one) => ({
      ...fieldOf(one.name, one.schema, one.required ?? false),
      in: one.in,
    })),
    body: fieldsOf(described.requestBody?.content['application/json']?.schema),
    status,
    answer: fieldsOf(answer?.content?.['application/json']?.schema),
    example: exampleOf(entry, described, origin),
  }
}

function callersOf(policy: Policy): ApiCallers {
  if ('open' in policy) return { roles: [], key: false, stepUp: false }
  if ('key' in policy) return { roles: [], key: true, stepUp: false }
  const roles = ROLES.filter((role) => may(role, policy.action as Action))
  return { roles, key: false, stepUp: policy.stepUp === true }
}

function exampleOf({ method, path }: ApiEntry, described: DescribedOperation, origin: string): string {
  const { parameters = [], requestBody } = described
  const values = Object.fromEntries(parameters.map(({ name, example }) => [name, example]))
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])))
  const query = new URLSearchParams(
    parameters
      .filter((one) => one.in === 'query' && one.example !== undefined)
      .map((one) => [one.name, String(one.example)]),
  )
  const url = `${origin}${filled}${query.size > 0 ? `?${query}` : ''}`
  const body = requestBody?.content['application/json']?.example
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}'${url}'`,
    ...('open' in described['x-policy'] ? [] : [`-H "Authorization: Bearer $TOKEN"`]),
    ...(body === undefined
      ? []
      : [
          "-H 'Content-Type: application/json'",
          `-d '${JSON.stringify(body, null, 2).replaceAll("'", `'\\''`)}'`,
        ]),
  ]
  return lines.join(' \\\n  ')
}
