import { randomUUID } from 'node:crypto'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { cors } from 'hono/cors'
import type { NlmHealth, ProcessAccepted } from '#contracts/research.contract.ts'
import { httpStatus, type Refusal, retryable } from '#domain/kernel/errors.ts'
import type { GuardedFetch } from '#server/outbound/guarded-fetch.ts'
import { sameSecret } from '#server/tokens/same-secret.ts'
import { admitJob, BODY_LIMIT } from './admit-job.ts'
import { answerQuestion } from './answer-question.ts'
import type { NlmEnv } from './nlm-env.ts'
import type { NlmMetrics } from './nlm-metrics.ts'
import type { WorkQueue } from './work-queue.ts'

export type NlmAppParts = {
  env: NlmEnv
  guard: GuardedFetch
  queue: WorkQueue
  metrics: NlmMetrics
  health: () => NlmHealth
  /** Aborted when the backend stops. */
  stopped: AbortSignal
  /** True until the backend is ready, and again once it stops. */
  closed: () => boolean
  refused: (route: string, refusal: Refusal) => void
}

const CLOSED: Refusal = { code: 'STARTING', message: 'The backend is starting or stopping.', retryAfter: 5 }
const NO_KEY: Refusal = { code: 'AUTH_REQUIRED', message: 'The key is missing or wrong.' }
const UNKNOWN: Refusal = { code: 'NOT_FOUND', message: 'This process does not know the job.' }
const TOO_LARGE: Refusal = { code: 'PAYLOAD_TOO_LARGE', message: 'The body is larger than 100 KB.' }

const isBearer = (header: string | undefined, key: string) =>
  sameSecret(/^Bearer (\S{1,4096})$/iu.exec(header ?? '')?.[1] ?? '', key)

/** A queue that is full is 503 on this wire ([nlm-backend#endpoints]), and a refused payload lists `errors` beside the envelope. */
function refusedWith(c: Context, refusal: Refusal): Response {
  const correlation = randomUUID()
  const { code, message, details = null, retryAfter } = refusal
  if (retryAfter) c.header('retry-after', String(retryAfter))
  c.header('x-correlation-id', correlation)
  const error = { code, message, details, retryable: retryable(code) }
  const status = code === 'QUEUE_FULL' ? 503 : httpStatus(code)
  const errors = code === 'VALIDATION_FAILED' ? { errors: details } : {}
  return c.json({ error, ...errors, correlation_id: correlation }, status as 400)
}

/** The HTTP surface of the NotebookLM Backend: thin; every route but health asks for the key. */
export function createNlmApp(parts: NlmAppParts): Hono {
  const { env, queue, metrics } = parts
  const app = new Hono()
  const refuse = (c: Context, refusal: Refusal) => {
    parts.refused(c.req.routePath, refusal)
    return refusedWith(c, refusal)
  }
  const withKey: MiddlewareHandler = async (c, next) =>
    isBearer(c.req.header('authorization'), env.NOTEBOOKLM_API_KEY) ? next() : refuse(c, NO_KEY)

  app.use(async (c, next) => {
    c.header('x-content-type-options', 'nosniff')
    c.header('cache-control', 'no-store')
    await next()
    metrics.request(c.req.routePath, c.res.status)
  })
  if (env.ALLOWED_ORIGINS.length > 0) app.use(cors({ origin: [...env.ALLOWED_ORIGINS], maxAge: 600 }))
  app.get('/health', (c) => c.json(parts.health()))
  app.get('/metrics', async (c) => {
    const key = env.NLM_METRICS_KEY
    if (key && !isBearer(c.req.header('authorization'), key)) return refuse(c, NO_KEY)
    return c.text(await metrics.registry.metrics(), 200, { 'content-type': metrics.registry.contentType })
  })
  app.post(
    '/jobs/process',
    withKey,
    bodyLimit({ maxSize: BODY_LIMIT, onError: (c) => refuse(c, TOO_LARGE) }),
    async (c) => {
      const body = await c.req.text()
      const outcome = parts.closed() ? ({ ok: false, refusal: CLOSED } as const) : process(parts, body)
      return outcome.ok ? c.json(outcome.value, 202) : refuse(c, outcome.refusal)
    },
  )
  app.post(
    '/query',
    withKey,
    bodyLimit({ maxSize: BODY_LIMIT, onError: (c) => refuse(c, TOO_LARGE) }),
    async (c) => {
      if (parts.closed()) return refuse(c, CLOSED)
      const answered = await answerQuestion(await c.req.text(), parts)
      return answered.ok ? c.json(answered.value) : refuse(c, answered.refusal)
    },
  )
  app.get('/artifacts/stats', withKey, (c) => {
    const by_type = queue.delivered
    return c.json({ total: Object.values(by_type).reduce((sum, n) => sum + n, 0), by_type })
  })
  app.get('/jobs/:id', withKey, (c) => {
    const view = queue.view(c.req.param('id'))
    return view ? c.json(view) : refuse(c, UNKNOWN)
  })
  app.post('/jobs/:id/cancel', withKey, (c) => {
    const view = queue.cancel(c.req.param('id'))
    return view ? c.json(view, 202) : refuse(c, UNKNOWN)
  })
  app.notFound((c) => refuse(c, { code: 'NOT_FOUND', message: 'No such address.' }))
  app.onError((_, c) => refuse(c, { code: 'INTERNAL_ERROR', message: 'The backend failed.' }))
  return app
}

function process({ env, guard, queue }: NlmAppParts, body: string) {
  const admitted = admitJob(body, env, guard)
  if (!admitted.ok) return admitted
  const accepted = queue.accept(admitted.value.request, admitted.value.payload)
  if (!accepted.ok) return accepted
  const { view, estimatedSeconds } = accepted.value
  const { job_id, artifact_id, artifact_url } = view
  const done = artifact_id ? { artifact_id, artifact_url } : {}
  const value: ProcessAccepted = { accepted: true, job_id, estimated_seconds: estimatedSeconds, ...done }
  return { ok: true as const, value }
}
