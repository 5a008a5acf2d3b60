import { createRoute, OpenAPIHono } from '@hono/zod-openapi'
import type { z } from 'zod'
import { errorEnvelope } from '#contracts/error.contract.ts'
import type { Policy } from '#server/operations/operation.ts'
import { EXAMPLE_PARAMS, EXAMPLES, type Example } from './examples.ts'
import type { Route } from './route.ts'

/** A JSON Schema, as far as a reader of the document looks into it. */
export type JsonSchema = {
  type?: string | string[]
  format?: string
  enum?: unknown[]
  const?: unknown
  default?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  pattern?: string
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  additionalProperties?: boolean | JsonSchema
}
type Content = { content?: { 'application/json'?: { schema: JsonSchema; example?: unknown } } }

/** One operation of the document. */
export type DescribedOperation = {
  summary: string
  tags: string[]
  'x-policy': Policy
  parameters?: {
    name: string
    in: 'path' | 'query'
    required?: boolean
    schema: JsonSchema
    example?: unknown
  }[]
  requestBody?: Required<Content>
  responses: Record<string, Content>
}
export type ApiDocument = { paths: Record<string, Partial<Record<string, DescribedOperation>>> }

const json = (schema: z.ZodType) => ({ content: { 'application/json': { schema } } })

/** The method and path of a route, as documents name it. */
export const addressOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string =>
  `${method.toUpperCase()} ${path}`

/** The OpenAPI 3.1 document of these routes, made from the schemas that check their requests. */
export function openApiDocument(routes: readonly Route[]): ApiDocument {
  const app = new OpenAPIHono()
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
  })
  for (const declared of routes) app.openAPIRegistry.registerPath(definitionOf(declared))
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Garden Bloom Console', version: '1', description: 'Agents propose, a person decides.' },
    servers: [{ url: '/' }],
  }) as unknown as ApiDocument
  for (const declared of routes) {
    const described = document.paths[declared.path]?.[declared.method]
    if (described) addExample(described, EXAMPLES[addressOf(declared)] ?? {})
  }
  return document
}

function addExample({ parameters, requestBody }: DescribedOperation, { query = {}, body }: Example): void {
  for (const parameter of parameters ?? []) {
    const example = parameter.in === 'path' ? EXAMPLE_PARAMS[parameter.name] : query[parameter.name]
    if (example !== undefined) parameter.example = example
  }
  const content = requestBody?.content['application/json']
  if (content && body !== undefined) content.example = body
}

function definitionOf(declared: Route) {
  const { status } = declared
  const request = {
    ...(declared.params ? { params: declared.params as never } : {}),
    ...(declared.query ? { query: declared.query as never } : {}),
    ...(declared.body ? { body: { ...json(declared.body), required: true } } : {}),
  }
  return createRoute({
    method: declared.method,
    path: declared.path,
    summary: declared.summary,
    tags: [declared.tag],
    request,
    ...('open' in declared.policy ? { security: [] } : { security: [{ bearer: [] }] }),
    'x-policy': declared.policy,
    responses: {
      [status]: {
        description: 'Done',
        ...(declared.output && status !== 204 ? json(declared.output) : {}),
      },
      default: { description: 'Refused', ...json(errorEnvelope) },
    },
  })
}
