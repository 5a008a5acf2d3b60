import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type {
  NlmJobView,
  ProcessRequest,
  RefusedAddress,
  ResearchPayload,
} from '#contracts/research.contract.ts'
import { can } from '#domain/kernel/machine.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import {
  NLM_CONCURRENCY,
  NLM_KEEP_SECONDS,
  NLM_QUEUE_LIMIT,
  nlmWorkMachine,
} from '#domain/nlm/nlm-work.machine.ts'
import { type DeliveryTools, deliverArtifact, deliverCallback } from './deliver.ts'
import { type ExecutionTools, executeWork } from './execute-work.ts'
import { advance, type EndedPhase, Superseded, viewOf, type Work, WorkFailed } from './work.ts'

/**
 * The work of this process: what waits, what runs, what is done ([nlm-backend#states]).
 *
 * Design: everything lives in one Map and may be lost at any moment; the caller sends the job again and the work is repeated. At most
 * NLM_CONCURRENCY jobs are executed at a time, the others wait in order; delivery runs beside them, so that a store that is down does not
 * hold up the engine. One job is one work: the same payload again joins it, restarts it after a failure, or has its result delivered again
 * under the new write token.
 *
 * Failure modes: QUEUE_FULL (503 on the wire), IDEMPOTENCY_MISMATCH (409). Nothing throws out of this class: work ends in DONE or ERROR.
 */
export type WorkEvent =
  | ({ kind: 'phase'; jobId: string } & EndedPhase)
  | {
      kind: 'settled'
      jobId: string
      state: string
      code?: string
      /** The phase in which it ended. */
      phase: EndedPhase['phase']
      phaseMs: Record<string, number>
    }
  | { kind: 'callback'; jobId: string; delivered: boolean; refused?: RefusedAddress }
  | { kind: 'crash'; jobId: string; error: unknown }
export type WorkQueueTools = Omit<DeliveryTools & ExecutionTools, 'now'> & {
  clock: () => Date
  observe: (event: WorkEvent) => void
}

const RETRY_AFTER_SECONDS = 5
const WAITING = nlmWorkMachine.events.accept.to
const DELIVERING = nlmWorkMachine.events.deliver.to
const digestOf = (payload: unknown) =>
  createHash('sha256')
    .update(canonicalize(payload) ?? '')
    .digest('hex')

export class WorkQueue {
  /** Jobs that reached DONE or ERROR since the start. */
  processed = 0
  /** Artifacts that the store took since the start, by type. */
  readonly delivered: Record<string, number> = {}
  readonly #tools: WorkQueueTools
  readonly #delivery: DeliveryTools
  readonly #execution: ExecutionTools
  readonly #works = new Map<string, Work>()
  readonly #waiting: Work[] = []
  readonly #busy = new Set<Promise<void>>()
  #running = 0

  constructor(tools: WorkQueueTools) {
    this.#tools = tools
    this.#delivery = { ...tools, now: tools.clock }
    this.#execution = { ...tools, now: () => tools.clock().getTime() }
  }

  /** Takes a job whose payload is valid; repeated calls for one job are one work. */
  accept(
    request: ProcessRequest,
    payload: ResearchPayload,
  ): Result<{ view: NlmJobView; estimatedSeconds: number }> {
    this.#forgetOld()
    const payloadDigest = digestOf(request.payload)
    const known = this.#works.get(request.job_id)
    if (known && known.payloadDigest !== payloadDigest) {
      return refuse({ code: 'IDEMPOTENCY_MISMATCH', message: 'This job is known with another payload.' })
    }
    const again = known && (['retry', 'redeliver'] as const).find((e) => can(nlmWorkMachine, known.state, e))
    if ((!known || again) && this.depth() >= NLM_QUEUE_LIMIT) {
      const message = 'The queue is full. Try again later.'
      return refuse({ code: 'QUEUE_FULL', message, retryAfter: RETRY_AFTER_SECONDS })
    }
    const { context, callback, write_token } = request
    if (known) known.request = { context, callback, write_token }
    const work = known ?? this.#enter(request, payload, payloadDigest)
    if (again) this.#again(work, again)
    return ok({
      view: viewOf(work),
      estimatedSeconds: 1 + Math.ceil(this.#waiting.length / NLM_CONCURRENCY),
    })
  }

  /** The state of a job; null when this process does not know it. */
  view(jobId: string): NlmJobView | null {
    const work = this.#works.get(jobId)
    return work ? viewOf(work) : null
  }

  /** Stops a job that is not being delivered yet, without a callback; later states stay as they are. */
  cancel(jobId: string): NlmJobView | null {
    const work = this.#works.get(jobId)
    if (work && can(nlmWorkMachine, work.state, 'cancel')) {
      work.error = { code: 'CANCELLED', message: 'Cancelled on request.' }
      this.#endWork(work, 'cancel')
      work.execution++
      work.stop.abort()
    }
    return work ? viewOf(work) : null
  }

  /** Jobs that wait for the engine or are being delivered. */
  depth(): number {
    let depth = 0
    for (const { state } of this.#works.values()) if (state === WAITING || state === DELIVERING) depth++
    return depth
  }

  /** Resolves when nothing runs any more. */
  async idle(): Promise<void> {
    while (this.#busy.size > 0) await Promise.allSettled([...this.#busy])
  }

  #now(): number {
    return this.#tools.clock().getTime()
  }

  #keep(promise: Promise<void>): void {
    this.#busy.add(promise)
    void promise.finally(() => this.#busy.delete(promise))
  }

  #enter(request: ProcessRequest, payload: ResearchPayload, payloadDigest: string): Work {
    const { context, callback, write_token, job_id: jobId } = request
    const work: Work = {
      jobId,
      payloadDigest,
      payload,
      request: { context, callback, write_token },
      state: WAITING,
      execution: 1,
      stop: new AbortController(),
      phaseMs: {},
      phaseSince: this.#now(),
    }
    this.#works.set(jobId, work)
    this.#waiting.push(work)
    this.#pump()
    return work
  }

  #again(work: Work, event: 'retry' | 'redeliver'): void {
    advance(work, event, this.#now())
    work.execution++
    work.stop = new AbortController()
    delete work.error
    delete work.refused
    delete work.settledAt
    if (event === 'redeliver') this.#keep(this.#deliver(work))
    else this.#waiting.push(work)
    this.#pump()
  }

  #pump(): void {
    while (this.#running < NLM_CONCURRENCY && this.#waiting.length > 0) {
      const work = this.#waiting.shift()
      if (work?.state !== WAITING) continue
      this.#running++
      this.#keep(
        this.#execute(work).finally(() => {
          this.#running--
          this.#pump()
        }),
      )
    }
  }

  #execute(work: Work): Promise<void> {
    return this.#attempt(work, async () => {
      await executeWork(this.#execution, work)
      this.#keep(this.#deliver(work))
    })
  }

  #deliver(work: Work): Promise<void> {
    return this.#attempt(work, async () => {
      const again = work.artifact !== undefined
      await deliverArtifact(this.#delivery, work, work.execution)
      if (!again) this.#count(work.submission?.type)
      this.#endWork(work, 'finish')
      this.#keep(this.#report(work))
    })
  }

  #count(type = ''): void {
    this.delivered[type] = (this.delivered[type] ?? 0) + 1
  }

  /** Runs a part of the work; a failure ends it as ERROR and is reported, a superseded part ends silently. */
  async #attempt(work: Work, part: () => Promise<void>): Promise<void> {
    const mine = work.execution
    try {
      await part()
    } catch (error) {
      if (error instanceof Superseded || work.execution !== mine || this.#tools.stopped.aborted) return
      const failed =
        error instanceof WorkFailed ? error : new WorkFailed('NLM_UNAVAILABLE', 'The engine failed.')
      if (failed !== error) this.#tools.observe({ kind: 'crash', jobId: work.jobId, error })
      const { code, message, refused } = failed
      work.error = { code, message, ...(refused ? { refused: [refused] } : {}) }
      this.#endWork(work, 'fail')
      if (!failed.silent) this.#keep(this.#report(work))
    }
  }

  async #report(work: Work): Promise<void> {
    const { jobId, execution } = work
    try {
      const report = await deliverCallback(this.#delivery, work, execution)
      this.#tools.observe({ kind: 'callback', jobId, ...report })
    } catch (error) {
      if (error instanceof Superseded || this.#tools.stopped.aborted) return
      this.#tools.observe({ kind: 'crash', jobId, error })
    }
  }

  #endWork(work: Work, event: 'finish' | 'fail' | 'cancel'): void {
    const ended = advance(work, event, this.#now())
    this.#tools.observe({ kind: 'phase', jobId: work.jobId, ...ended })
    work.settledAt = this.#now()
    this.processed++
    const { jobId, state, phaseMs, error } = work
    const { phase } = ended
    this.#tools.observe({
      kind: 'settled',
      jobId,
      state,
      ...(error ? { code: error.code } : {}),
      phase,
      phaseMs,
    })
  }

  #forgetOld(): void {
    const limit = this.#now() - NLM_KEEP_SECONDS * 1000
    for (const [id, { settledAt }] of this.#works) if ((settledAt ?? limit) < limit) this.#works.delete(id)
  }
}
