import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { serve } from '@hono/node-server'
import type { Logger } from 'pino'
import type { NlmHealth } from '#contracts/research.contract.ts'
import type { JobType } from '#domain/job/job.rules.ts'
import { createGuardedFetch, type GuardedFetch } from '#server/outbound/guarded-fetch.ts'
import { EXTRACTIVE_ENGINE } from '#server/retrieval/research-engine.ts'
import { VERSION } from '#server/system/version.ts'
import { createNlmApp } from './nlm-app.ts'
import type { NlmEnv } from './nlm-env.ts'
import { createNlmMetrics } from './nlm-metrics.ts'
import { type WorkEvent, WorkQueue } from './work-queue.ts'

/**
 * Starts and stops the NotebookLM Backend ([nlm-backend#purpose]).
 *
 * Start: listen, then probe once whether the Artifact Store answers; from then on the health is `ok` or `degraded`, before it `starting`.
 * Stop: new jobs are refused with 503, running ones get STOP_GRACE_MS to end and are then dropped; the caller will send them again.
 */
const PROBE_MS = 15_000
/** After a probe without an answer: the console is starting beside this, or coming back. */
const SILENT_PROBE_MS = 1_000
const STOP_GRACE_MS = 5_000

/** The one type that this backend serves ([nlm-backend#purpose]). */
const JOB_TYPE: JobType = 'RESEARCH'

export type NlmBackend = { port: number; stop(): Promise<void> }

/** Starts the backend; rejects when the port cannot be opened. */
export async function startNlmBackend(
  env: NlmEnv,
  log: Logger,
  graceMs = STOP_GRACE_MS,
): Promise<NlmBackend> {
  const stopping = new AbortController()
  const guard = createGuardedFetch({ origins: env.NLM_ALLOWED_ORIGINS, addresses: env.NLM_ALLOWED_ADDRESSES })
  const metrics = createNlmMetrics({
    depth: () => queue.depth(),
    jobType: JOB_TYPE,
    provider: EXTRACTIVE_ENGINE.id,
  })
  const queue: WorkQueue = new WorkQueue({
    env,
    guard,
    clock: () => new Date(),
    newId: randomUUID,
    pause: (ms, signal) => pause(ms, undefined, { signal }),
    stopped: stopping.signal,
    observe: (event) => {
      metrics.observe(event)
      logEvent(log, event)
    },
  })
  const store = watchStore(env, guard, stopping.signal)
  let closed = true
  const app = createNlmApp({
    env,
    guard,
    queue,
    metrics,
    stopped: stopping.signal,
    closed: () => closed,
    health: () => healthOf(store.state(), queue),
    refused: (route, { code, details }) =>
      log.warn({ route, refusal: code, details }, `refused ${route}: ${code}`),
  })
  const { server, port } = await listen(app.fetch, env)
  await store.probe()
  closed = false
  return {
    port,
    stop: async () => {
      closed = true
      await Promise.race([queue.idle(), pause(graceMs, undefined, { ref: false })])
      stopping.abort()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
      await guard.close()
    },
  }
}

function listen(fetch: (request: Request) => Response | Promise<Response>, env: NlmEnv) {
  return new Promise<{ server: Server; port: number }>((resolve, reject) => {
    const server = serve({ fetch, hostname: env.NLM_HOST, port: env.NLM_PORT }, ({ port }) =>
      resolve({ server, port }),
    ) as Server
    server.requestTimeout = 30_000
    server.once('error', reject)
  })
}

type StoreState = 'unknown' | 'answers' | 'silent'

/** Probes again and again whether the Artifact Store answers, sooner while it does not; anything below 500 is an answer. */
function watchStore(env: NlmEnv, guard: GuardedFetch, stopped: AbortSignal) {
  let state: StoreState = 'unknown'
  let timer: NodeJS.Timeout | undefined
  const probe = async () => {
    const answer = await guard
      .fetch(`${new URL(env.ARTIFACT_API_URL).origin}/health`, { signal: stopped })
      .catch(() => null)
    state = answer && answer.status < 500 ? 'answers' : 'silent'
    if (stopped.aborted) return
    timer = setTimeout(() => void probe(), state === 'answers' ? PROBE_MS : SILENT_PROBE_MS).unref()
  }
  stopped.addEventListener('abort', () => clearTimeout(timer))
  return { state: () => state, probe }
}

function healthOf(store: StoreState, queue: WorkQueue): NlmHealth {
  const status = store === 'unknown' ? 'starting' : store === 'answers' ? 'ok' : 'degraded'
  return {
    status,
    version: VERSION,
    jobs_processed: queue.processed,
    uptime_seconds: Math.floor(process.uptime()),
    queue_depth: queue.depth(),
    minio_connected: store === 'answers',
    // No NotebookLM endpoint can be set: answers are extractive.
    nlm_connected: false,
    engine: EXTRACTIVE_ENGINE.id,
  }
}

/** One line for each phase and each job that ends; neither questions nor texts are logged ([nlm-backend#I-N7]). */
function logEvent(log: Logger, event: WorkEvent): void {
  const job = { job_id: event.jobId, job_type: JOB_TYPE }
  if (event.kind === 'crash') log.error({ ...job, err: event.error }, 'the engine failed')
  else if (event.kind === 'callback' && !event.delivered) {
    const { refused } = event
    log.warn({ ...job, ...(refused && { refused }) }, 'the callback was not delivered')
  } else if (event.kind === 'phase') log.info({ ...job, phase: event.phase, ms: event.ms }, 'phase ended')
  else if (event.kind === 'settled') {
    const ms = Object.values(event.phaseMs).reduce((sum, phase) => sum + phase, 0)
    log.info({ ...job, phase: event.state, ms, ...(event.code ? { code: event.code } : {}) }, 'work ended')
  }
}
