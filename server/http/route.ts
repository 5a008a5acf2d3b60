/**
 * A REST route: an operation at its address, or a route by hand. The same row mounts the handler (app.ts) and writes its part
 * of the OpenAPI document (openapi.ts), so the two cannot differ. By hand is what is no operation: answers that are no JSON,
 * cookies, signatures over exact bytes, keys of machines. It passes the same gate.
 */
import { z } from 'zod'
import type { Result } from '#domain/kernel/result.ts'
import type { Gated } from '#server/gate/gate.ts'
import { isLoose } from '#server/gate/parse-input.ts'
import type {
  BodyLimit,
  Kind,
  Operation,
  OperationContext,
  Policy,
  Status,
} from '#server/operations/operation.ts'
import { policyOf } from '#server/operations/policy-of.ts'

type Method = 'get' | 'post' | 'patch' | 'delete'

/** What a route by hand gets beside the context of an operation. */
export type HttpContext = OperationContext & {
  /** The whole request; its body is consumed. */
  request: Request
  /** The exact bytes of the body. */
  bytes: Uint8Array
  bearer: string | undefined
  /** Headers of the answer. */
  headers: Headers
}

export type Route = Omit<Gated, 'run'> & {
  method: Method
  /** Whole path with `{name}` parameters: `/api/v1/jobs/{id}`. */
  path: string
  summary: string
  tag: string
  bodyLimit: BodyLimit
  /** Fields of the input that the address gives. */
  fixed: Record<string, string>
  /** Where the fields of the input come from; for the document, and for the address itself. */
  params: z.ZodObject | undefined
  query: z.ZodType | undefined
  body: z.ZodType | undefined
  run: (ctx: HttpContext, input: never) => Promise<unknown>
}

type HandRoute<I extends z.ZodType, O extends z.ZodType> = {
  at: `${Uppercase<Method>} /${string}`
  policy: Policy
  summary: string
  tag: string
  input?: I
  /** Null: the route answers by itself. */
  output: O | null
  bodyLimit?: BodyLimit
  status?: Status
  statusOf?: (answer: z.input<O>) => number
  run: (ctx: HttpContext, input: z.output<I>) => Promise<Result<z.input<O>> | z.input<O> | Response>
}

/** A route by hand. */
export function route<O extends z.ZodType, I extends z.ZodType = z.ZodVoid>(hand: HandRoute<I, O>): Route {
  const { at, input, bodyLimit, status, ...rest } = hand
  return {
    ...rest,
    ...located(at, input ?? null, {}),
    bodyLimit: bodyLimit ?? 'normal',
    status: status ?? 200,
    // They count attempts that outlive a refusal, write objects, or answer by themselves.
    transaction: 'own',
  }
}

/** The routes of an operation, one for each address. */
export const routesOf = (operation: Operation): Route[] =>
  operation.rest.map(({ at, fixed, summary }) => {
    const { tag, output, status, statusOf, bodyLimit, transaction, recordMisfit, run } = operation
    const shared = { tag, output, status, statusOf, bodyLimit, transaction, recordMisfit, run, summary }
    return { ...shared, ...located(at, operation.input, fixed), policy: policyOf(operation) }
  })

/** The one input schema as parts: parameters by the names in the path, the rest in the query (GET) or the body. */
function located(at: string, input: z.ZodType | null, fixed: Record<string, string>) {
  const [verb = '', path = ''] = at.split(' ')
  const method = verb.toLowerCase() as Method
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
  const given = [...names, ...Object.keys(fixed)]
  const shape = input instanceof z.ZodObject ? input.shape : {}
  const unknown = given.filter((name) => !Object.hasOwn(shape, name))
  if (unknown.length > 0) throw new Error(`${at}: the input has no field ${unknown.join(', ')}`)
  const params = names.length > 0 ? z.strictObject(picked(shape, (name) => names.includes(name))) : undefined
  const rest = given.length === 0 ? (input ?? undefined) : without(input, shape, given)
  const kind: Kind = method === 'get' ? 'read' : 'write'
  const parts = kind === 'read' ? { query: rest, body: undefined } : { query: undefined, body: rest }
  return { method, path, kind, input, fixed, params, ...parts }
}

type Shape = z.core.$ZodShape
const picked = (shape: Shape, has: (name: string) => boolean): Shape =>
  Object.fromEntries(Object.entries(shape).filter(([name]) => has(name)))

/** The schema of what the address does not give; none when that is nothing. */
function without(input: z.ZodType | null, shape: Shape, given: readonly string[]): z.ZodType | undefined {
  const other = picked(shape, (name) => !given.includes(name))
  if (isLoose(input)) return z.looseObject(other)
  return Object.keys(other).length > 0 ? z.strictObject(other) : undefined
}
