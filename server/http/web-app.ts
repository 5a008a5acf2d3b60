import type { Hono } from 'hono'
import { webServices } from '#server/composition/web-services.ts'
import { createApp } from './app.ts'

let app: Hono | undefined

/** Answers a REST request in the web process. */
export async function answerRest(request: Request): Promise<Response> {
  app ??= createApp(webServices)
  return app.fetch(request)
}
