import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ResearchPayload } from '#contracts/research.contract.ts'
import { NLM_KEEP_SECONDS } from '#domain/nlm/nlm-work.machine.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { createGuardedFetch, type GuardedFetch } from '#server/outbound/guarded-fetch.ts'
import {
  CALLBACK_TOKEN,
  envFor,
  type FakeGateway,
  fakeGateway,
  jobFor,
  snapshotOf,
} from './testing/fake-gateway.ts'
import { type WorkEvent, WorkQueue, type WorkQueueTools } from './work-queue.ts'

let gateway: FakeGateway
let guard: GuardedFetch
let stop: AbortController
let pauses: number[]
let events: WorkEvent[]
let clock: number
/** Holds a pause of that many seconds open until released. */
let blockedPauses: Map<number, PromiseWithResolvers<void>>

beforeEach(async () => {
  gateway = await fakeGateway()
  guard = createGuardedFetch({ origins: [gateway.origin] })
  stop = new AbortController()
  pauses = []
  events = []
  clock = Date.now()
  blockedPauses = new Map()
})
afterEach(async () => {
  stop.abort()
  await gateway.close()
  await guard.close()
})

function queueWith(more: Partial<WorkQueueTools> = {}): WorkQueue {
  let ids = 0
  return new WorkQueue({
    env: envFor(gateway),
    guard,
    clock: () => new Date(clock),
    newId: () => String(ids++),
    pause: async (ms) => {
      pauses.push(ms / 1000)
      await blockedPauses.get(ms / 1000)?.promise
    },
    stopped: stop.signal,
    observe: (event) => events.push(event),
    ...more,
  })
}

type Job = ReturnType<typeof jobFor>
const accept = (queue: WorkQueue, job: Job) => queue.accept(job, job.payload as ResearchPayload)
const callbacks = () => gateway.callbacks.map((c) => JSON.parse(c.body))

describe('handing over', () => {
  it('tries a store that fails at 0, 1, 2, 4, 8, 16 s, then reports that it is unavailable', async () => {
    gateway.answerArtifacts = [500, 503, 429, 408, 502, 500]
    const queue = queueWith()
    const job = jobFor(gateway)
    accept(queue, job)
    await queue.idle()
    expect(pauses).toEqual([1, 2, 4, 8, 16])
    expect(gateway.artifacts).toHaveLength(6)
    expect(callbacks()).toMatchObject([
      { job_id: job.job_id, status: 'FAILED', error: { code: 'NLM_UNAVAILABLE' } },
    ])
    expect(queue.view(job.job_id)).toMatchObject({ state: 'ERROR', error: { code: 'NLM_UNAVAILABLE' } })
  })

  it('succeeds at a later attempt, of the store and of the callback, with one id for all attempts of a callback', async () => {
    gateway.answerArtifacts = [500, 201]
    gateway.answerCallbacks = [500, 429, 200]
    const queue = queueWith()
    accept(queue, jobFor(gateway))
    await queue.idle()
    expect(pauses).toEqual([1, 1, 2])
    expect(new Set(gateway.callbacks.map((c) => c.headers['webhook-id'])).size).toBe(1)
    expect(events.at(-1)).toMatchObject({ kind: 'callback', delivered: true })
  })

  it.each([400, 404, 422])('ends at once when the store answers %i', async (status) => {
    gateway.answerArtifacts = [status]
    const queue = queueWith()
    accept(queue, jobFor(gateway))
    await queue.idle()
    expect([gateway.artifacts.length, pauses.length]).toEqual([1, 0])
    expect(callbacks()).toMatchObject([{ status: 'FAILED', error: { code: 'STRUCTURE_ERROR' } }])
  })

  it.each([401, 403, 409])(
    'says nothing more when the write token is refused with %i: that attempt is over',
    async (status) => {
      gateway.answerArtifacts = [status]
      const queue = queueWith()
      const job = jobFor(gateway)
      accept(queue, job)
      await queue.idle()
      expect(gateway.callbacks).toEqual([])
      expect(queue.view(job.job_id)).toMatchObject({ state: 'ERROR' })
    },
  )

  it('goes on with a newer write token that came while the old one was refused', async () => {
    gateway.answerArtifacts = [409, 201]
    const queue = queueWith()
    const job = jobFor(gateway)
    gateway.onArtifact = () => accept(queue, { ...job, write_token: 'write-token-2' })
    accept(queue, job)
    await queue.idle()
    const tokens = gateway.artifacts.map((a) => a.headers.authorization)
    expect(tokens).toEqual(['Bearer write-token-1', 'Bearer write-token-2'])
    expect(queue.view(job.job_id)).toMatchObject({ state: 'DONE' })
  })

  it('keeps what it could not report readable', async () => {
    gateway.answerCallbacks = [404]
    const queue = queueWith()
    const job = jobFor(gateway)
    accept(queue, job)
    await queue.idle()
    expect(events.at(-1)).toMatchObject({ kind: 'callback', delivered: false })
    expect(queue.view(job.job_id)).toMatchObject({ state: 'DONE', artifact_id: `art-${job.job_id}` })
  })

  it('never sends the report of an attempt that was begun anew', async () => {
    const queue = queueWith()
    const job = jobFor(gateway)
    const broken = {
      ...job,
      context: { ...job.context, memory_snapshot_url: `${gateway.origin}/api/v1/contexts/${'0'.repeat(64)}` },
    }
    gateway.answerCallbacks = [500]
    blockedPauses.set(1, Promise.withResolvers())
    accept(queue, broken)
    await waitUntil(() => pauses.length === 1)
    accept(queue, job)
    await waitUntil(() => callbacks().some((c) => c.status === 'COMPLETE'))
    blockedPauses.get(1)?.resolve()
    await queue.idle()
    expect(callbacks().map((c) => c.status)).toEqual(['FAILED', 'COMPLETE'])
  })

  it('sends the callback token to nobody but the callback', async () => {
    const queue = queueWith()
    accept(queue, jobFor(gateway))
    await queue.idle()
    expect(JSON.stringify(gateway.artifacts)).not.toContain(CALLBACK_TOKEN)
    expect(JSON.stringify(gateway.callbacks)).not.toContain('write-token-1')
  })
})

describe('failures of the work', () => {
  it.each([
    ['an unknown context', (o: string) => `${o}/api/v1/contexts/${'0'.repeat(64)}`, 'CONTEXT_TIMEOUT'],
    [
      'a dead origin',
      (o: string) => o.replace(/:\d+$/u, ':9').concat(`/contexts/${'0'.repeat(64)}`),
      'VALIDATION_ERROR',
    ],
  ])('reports %s', async (_, url, code) => {
    const queue = queueWith()
    const job = jobFor(gateway)
    accept(queue, { ...job, context: { memory_snapshot_url: url(gateway.origin), entity_refs: [] } })
    await queue.idle()
    expect(callbacks()).toMatchObject([{ status: 'FAILED', error: { code } }])
  })

  it('takes no context whose bytes are not what its address says', async () => {
    const queue = queueWith()
    const good = new URL(gateway.context(snapshotOf()))
    const evil = createGuardedFetch({ origins: [gateway.origin] })
    const swapped = {
      ...evil,
      fetch: async (url: string, o?: object) =>
        url === good.href
          ? { status: 200, headers: {}, body: Buffer.from(JSON.stringify(snapshotOf([]))) }
          : evil.fetch(url, o),
    }
    const other = queueWith({ guard: swapped })
    for (const q of [queue, other]) {
      accept(q, jobFor(gateway))
      await q.idle()
    }
    expect(callbacks().map((c) => [c.status, c.error?.code])).toEqual([
      ['COMPLETE', undefined],
      ['FAILED', 'CONTEXT_TIMEOUT'],
    ])
    await evil.close()
  })

  it('tells whoever asks which origin it was not allowed to read from, and nothing of it by callback', async () => {
    const narrow = createGuardedFetch({ origins: [gateway.origin], maxBytes: 10 })
    const queue = queueWith({ guard: narrow })
    const job = jobFor(gateway)
    accept(queue, job)
    await queue.idle()
    await narrow.close()
    expect(queue.view(job.job_id)?.error).toMatchObject({
      code: 'VALIDATION_ERROR',
      refused: [{ origin: gateway.origin, reason: 'size' }],
    })
    const error = { code: 'VALIDATION_ERROR', message: 'the answer is above 10 bytes' }
    expect(callbacks()).toEqual([{ job_id: job.job_id, status: 'FAILED', error }])
  })

  it.each([
    ['the Artifact Store', 'answerArtifacts', { state: 'ERROR', error: { code: 'NLM_UNAVAILABLE' } }],
    ['the callback', 'answerCallbacks', { state: 'DONE' }],
  ] as const)('tells whoever asks that %s may not be reached', async (_what, redirected, view) => {
    gateway[redirected] = [302, 302]
    const queue = queueWith()
    const job = jobFor(gateway)
    accept(queue, job)
    await queue.idle()
    const refused = [{ origin: gateway.origin, reason: 'redirect' }]
    const found = queue.view(job.job_id)
    expect(found).toMatchObject(view)
    expect(found?.error?.refused ?? found?.refused).toEqual(refused)
    if (redirected === 'answerCallbacks')
      expect(events.at(-1)).toMatchObject({ kind: 'callback', delivered: false, refused: refused[0] })
    expect(pauses).toEqual([])
  })

  it('takes no context of another form', async () => {
    const queue = queueWith()
    accept(queue, jobFor(gateway, {}, { schema: 'context/2' } as never))
    await queue.idle()
    expect(callbacks()).toMatchObject([{ error: { code: 'VALIDATION_ERROR' } }])
  })

  it('gives up on a phase that is over its limit', async () => {
    gateway.hangContexts = true
    const queue = queueWith({ limitMs: { FETCHING_CONTEXT: 5 } })
    accept(queue, jobFor(gateway))
    await queue.idle()
    const error = { code: 'CONTEXT_TIMEOUT', message: 'FETCHING_CONTEXT took longer than its limit' }
    expect(callbacks()).toMatchObject([{ status: 'FAILED', error }])
  })

  it('does failed work again when it is asked again', async () => {
    gateway.answerArtifacts = [422]
    const queue = queueWith()
    const job = jobFor(gateway)
    accept(queue, job)
    await queue.idle()
    accept(queue, job)
    await queue.idle()
    expect(callbacks().map((c) => c.status)).toEqual(['FAILED', 'COMPLETE'])
    expect(queue.processed).toBe(2)
  })
})

describe('memory of the process', () => {
  it('works on two jobs at a time, the others wait in order', async () => {
    gateway.hangContexts = true
    const queue = queueWith()
    const jobs = [jobFor(gateway), jobFor(gateway), jobFor(gateway), jobFor(gateway)]
    for (const job of jobs) accept(queue, job)
    expect(jobs.map((j) => queue.view(j.job_id)?.state)).toEqual([
      'FETCHING_CONTEXT',
      'FETCHING_CONTEXT',
      'ACCEPTED',
      'ACCEPTED',
    ])
    expect(queue.depth()).toBe(2)
    queue.cancel(jobs[1]?.job_id ?? '')
    await waitUntil(() => queue.view(jobs[2]?.job_id ?? '')?.state === 'FETCHING_CONTEXT')
    expect(queue.view(jobs[3]?.job_id ?? '')?.state).toBe('ACCEPTED')
  })

  it('a cancelled job that waits is never begun, and cancelling what is done changes nothing', async () => {
    gateway.hangContexts = true
    const queue = queueWith()
    const jobs = [jobFor(gateway), jobFor(gateway), jobFor(gateway)]
    for (const job of jobs) accept(queue, job)
    for (const job of [...jobs].reverse())
      expect(queue.cancel(job.job_id)).toMatchObject({ state: 'ERROR', error: { code: 'CANCELLED' } })
    await queue.idle()
    expect([gateway.callbacks.length, gateway.artifacts.length]).toEqual([0, 0])
    gateway.hangContexts = false
    const done = jobFor(gateway)
    accept(queue, done)
    await queue.idle()
    expect(queue.cancel(done.job_id)).toMatchObject({ state: 'DONE' })
  })

  it('forgets finished work after an hour, not before', async () => {
    const queue = queueWith()
    const [old, next] = [jobFor(gateway), jobFor(gateway)]
    accept(queue, old)
    await queue.idle()
    clock += NLM_KEEP_SECONDS * 1000
    accept(queue, next)
    await queue.idle()
    expect(queue.view(old.job_id)).not.toBeNull()
    clock += 1
    accept(queue, jobFor(gateway))
    await queue.idle()
    expect([queue.view(old.job_id), queue.view(next.job_id)?.state]).toEqual([null, 'DONE'])
  })
})
