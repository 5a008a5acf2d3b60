import { createRoute, OpenAPIHono } from '@hono/zod-openapi'
import type { z } from 'zod'
import { errorEnvelope } from '#contracts/error.contract.ts'
import type { Route } from './route.ts'

const json = (schema: z.ZodType) => ({ content: { 'application/json': { schema } } })

/** The OpenAPI 3.1 document of these routes, made from the schemas that check their requests. */
export function openApiDocument(routes: readonly Route[]): unknown {
  const app = new OpenAPIHono()
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
  })
  for (const declared of routes) app.openAPIRegistry.registerPath(definitionOf(declared))
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Garden Bloom Console', version: '1', description: 'Agents propose, a person decides.' },
    servers: [{ url: '/' }],
  })
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
