import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import type { Services } from '#server/services.ts'

/**
 * CORS [http#other-origins]: pages of the origins listed in `ALLOWED_ORIGINS`, by exact match, may call the API and carry their cookie.
 * To any other origin the gateway looks as if there were no CORS; it is off while the list is empty.
 */
export function otherOrigins(services: () => Promise<Services>): MiddlewareHandler {
  return async (c, next) => {
    const origin = c.req.header('origin')
    const ready = origin === undefined ? null : await services().catch(() => null)
    const listed = ready?.env.ALLOWED_ORIGINS.find((one) => one === origin)
    return listed === undefined ? next() : sharedWith(listed)(c, next)
  }
}

const sharedWith = (origin: string): MiddlewareHandler =>
  cors({
    origin,
    credentials: true,
    allowMethods: ['GET', 'POST', 'PATCH', 'DELETE'],
    allowHeaders: [
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'If-None-Match',
      'Last-Event-ID',
      'X-Correlation-Id',
      'X-Garden',
    ],
    exposeHeaders: [
      ...['ETag', 'Idempotent-Replay', 'Retry-After', 'X-Correlation-Id'],
      ...['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
    ],
    maxAge: 600,
  })
