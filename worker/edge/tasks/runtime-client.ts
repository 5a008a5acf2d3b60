import { z } from 'zod'
import { createRedactor, type Redactor } from '#domain/secret/redact.rules.ts'
import { type Posted, postJson } from '../agent/post-json.ts'
import type { Settings } from '../config/settings.ts'
import { EdgeFault } from '../fault.ts'

/**
 * The gateway as a node that fetches its work sees it [runtime#wire]. Keys go in headers to that one address; they are masked in whatever comes back.
 */
const JOB = z.object({
  task_id: z.string(),
  prompt: z.string(),
  /** The instructions of the agent in whose name the task is done. */
  definition: z.string().optional(),
  context_id: z.string(),
  agent_slug: z.string(),
  desired_format: z.enum(['text', 'json', 'markdown']),
  context_hints: z.array(z.string()),
  policy: z.object({ timeout_sec: z.number(), budget: z.number() }),
})
const FETCHED = z.object({
  job: JOB,
  leaseId: z.string(),
  /** How long it lasts from now on: the clocks of two machines are not compared. */
  leaseSeconds: z.number(),
  fence: z.number(),
  heartbeat_seconds: z.number().min(1).max(60).default(10),
})
export type Work = z.infer<typeof FETCHED>

/** `gone`: the lease is not this node's any more. `unknown`: nothing was heard, so nothing is known. */
export type Reply =
  | { kind: 'ok'; body: unknown }
  | { kind: 'gone' }
  | { kind: 'refused'; why: string }
  | { kind: 'unknown'; why: string }

/** Where the reports of a task go. */
export type Reporter = {
  redactor: Redactor
  /** The answer holds `leaseSeconds`: how long the lease lasts from then on. */
  renew(work: Pick<Work, 'job' | 'leaseId' | 'fence'>, progress: object): Promise<Reply>
  complete(work: Pick<Work, 'leaseId' | 'fence'> & { taskId: string }, report: object): Promise<Reply>
}

export type RuntimeClient = Reporter & {
  /** Says that the worker is there and what it can do; returns its id. */
  register(about: object, stopped: AbortSignal): Promise<{ id: string } | { why: string }>
  fetch(workerId: string, waitMs: number, stopped: AbortSignal): Promise<Work | null | { why: string }>
}

const CALL_MS = 15_000
const JOB_BYTES = 1024 * 1024

type ClientSettings = Pick<
  Settings,
  'BLOOM_RUNTIME_URL' | 'RUNTIME_API_KEY' | 'BLOOM_WORKER_KEY' | 'BLOOM_API_KEY' | 'MEMBRIDGE_NODE_KEY'
>

/** Throws `EdgeFault` without an address or a key. */
export function runtimeClient(settings: ClientSettings): RuntimeClient {
  const base = settings.BLOOM_RUNTIME_URL?.replace(/\/+$/, '')
  if (!base)
    throw new EdgeFault('BLOOM_RUNTIME_URL not set: the address of the console that has the LLM Tasks')
  const shared = settings.RUNTIME_API_KEY ?? settings.BLOOM_WORKER_KEY ?? settings.BLOOM_API_KEY
  const headers: Record<string, string> | null = settings.MEMBRIDGE_NODE_KEY
    ? { 'x-membridge-agent': settings.MEMBRIDGE_NODE_KEY }
    : shared
      ? { 'x-runtime-api-key': shared }
      : null
  if (!headers) throw new EdgeFault('MEMBRIDGE_NODE_KEY not set: join this node, or set RUNTIME_API_KEY')
  const redactor = createRedactor(Object.values(headers))

  async function post(
    path: string,
    value: unknown,
    { ms = CALL_MS, stopped }: { ms?: number; stopped?: AbortSignal } = {},
  ) {
    const signal = AbortSignal.any([AbortSignal.timeout(ms), ...(stopped ? [stopped] : [])])
    return postJson({
      url: `${base}${path}`,
      headers: headers as Record<string, string>,
      value,
      signal,
      mostBytes: JOB_BYTES,
    })
  }
  const why = whyBy(redactor)
  const reply = (path: string, value: unknown) => replyOf(() => post(path, value), redactor)

  return {
    redactor,
    async register(about, stopped) {
      try {
        const { status, text } = await post('/api/runtime/workers', about, { stopped })
        if (status === 200 || status === 201)
          return { id: z.object({ id: z.string() }).parse(JSON.parse(text)).id }
        return { why: `HTTP ${status}: ${redactor.text(text.slice(0, 200))}` }
      } catch (error) {
        return { why: why(error) }
      }
    },
    async fetch(workerId, waitMs, stopped) {
      try {
        const asked = { worker_id: workerId, jobTypes: ['llm_task'], wait_ms: waitMs }
        const { status, text } = await post('/api/jobs/lease', asked, { ms: waitMs + CALL_MS, stopped })
        if (status === 204) return null
        if (status !== 200) return { why: `HTTP ${status}: ${redactor.text(text.slice(0, 200))}` }
        return FETCHED.parse(JSON.parse(text))
      } catch (error) {
        return stopped.aborted ? null : { why: why(error) }
      }
    },
    renew: ({ job, leaseId, fence }, progress) =>
      reply(`/api/jobs/${job.task_id}/lease/renew`, { leaseId, fence, progress }),
    complete: ({ taskId, leaseId, fence }, report) =>
      reply(`/api/jobs/${taskId}/lease/complete`, { leaseId, fence, ...report }),
  }
}

const whyBy =
  (redactor: Redactor) =>
  (error: unknown): string =>
    redactor.text((error as NodeJS.ErrnoException).code ?? (error as Error).message)

/** What an answer means for whoever has a lease. */
async function replyOf(send: () => Promise<Posted>, redactor: Redactor): Promise<Reply> {
  try {
    const { status, text } = await send()
    if (status === 200) return { kind: 'ok', body: JSON.parse(text) }
    if (status === 409 || status === 404) return { kind: 'gone' }
    if (status >= 400 && status < 500 && status !== 429)
      return { kind: 'refused', why: redactor.text(text.slice(0, 300)) }
    return { kind: 'unknown', why: `HTTP ${status}` }
  } catch (error) {
    return { kind: 'unknown', why: whyBy(redactor)(error) }
  }
}

const BEAT = z.object({ lease: z.object({ last_heartbeat: z.number() }), expires_at: z.number() })
const ENDS = { succeeded: 'success', failed: 'error', timed_out: 'error' } as const

/** Reports of a task that this node was called for: to the address that came with it, which shows the lease. It is a secret like a key. */
export function reporterAt(runtimeUrl: string): Reporter {
  const base = runtimeUrl.replace(/\/+$/, '')
  const redactor = createRedactor([base, base.split('/').at(-1) ?? base])
  const post = (taskId: string, what: string, value: unknown) => {
    const url = `${base}/api/runtime/llm-tasks/${encodeURIComponent(taskId)}/${what}`
    return postJson({ url, headers: {}, value, signal: AbortSignal.timeout(CALL_MS), mostBytes: JOB_BYTES })
  }
  return {
    redactor,
    async renew({ job }, progress) {
      const reply = await replyOf(() => post(job.task_id, 'heartbeat', { progress }), redactor)
      if (reply.kind !== 'ok') return reply
      const beat = BEAT.safeParse(reply.body)
      if (!beat.success) return { kind: 'unknown', why: 'the answer says no lease' }
      const { lease, expires_at } = beat.data
      return { kind: 'ok', body: { leaseSeconds: (expires_at - lease.last_heartbeat) / 1_000 } }
    },
    complete: ({ taskId }, report) => {
      const { status, ...rest } = report as { status: keyof typeof ENDS }
      return replyOf(() => post(taskId, 'complete', { ...rest, status: ENDS[status] }), redactor)
    },
  }
}
