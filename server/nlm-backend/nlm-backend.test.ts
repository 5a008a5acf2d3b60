import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  nlmCallback,
  nlmFaults,
  nlmHealth,
  nlmJobView,
  researchArtifactSubmission,
} from '#contracts/research.contract.ts'
import { NLM_QUEUE_LIMIT } from '#domain/nlm/nlm-work.machine.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { isSigned } from '#server/outbound/callback-signature.ts'
import { isVerbatim } from '#server/retrieval/check-grounding.ts'
import { VERSION } from '#server/system/version.ts'
import { type NlmBackend, startNlmBackend } from './nlm-backend.ts'
import {
  CALLBACK_TOKEN,
  envFor,
  type FakeGateway,
  fakeGateway,
  GARDEN,
  jobFor,
  KEY,
  SIGNING_KEY,
  snapshotOf,
} from './testing/fake-gateway.ts'

let gateway: FakeGateway
const JSON_TYPE = 'application/json'
/** Well below the pause between probes of a store that answers. */
const SOON_MS = 8_000

let backend: NlmBackend
const call = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${backend.port}${path}`, init)
const bearer = (key = KEY) => ({ authorization: `Bearer ${key}` })
const send = (job: unknown, headers: Record<string, string> = bearer()) =>
  call('/jobs/process', {
    method: 'POST',
    headers,
    body: typeof job === 'string' ? job : JSON.stringify(job),
  })
const view = async (id: string) =>
  nlmJobView.parse(await (await call(`/jobs/${id}`, { headers: bearer() })).json())
const settled = (id: string, state: string) =>
  waitUntil(async () => (await view(id)).state === state, { what: `${state} of the job` })

beforeEach(async () => {
  gateway = await fakeGateway()
  backend = await startNlmBackend(envFor(gateway), pino({ level: 'silent' }), 0)
})
afterEach(async () => {
  await gateway.close()
  await backend.stop()
})

describe('POST /jobs/process', () => {
  it('makes a brief of verbatim quotes, writes it with the job’s token, and calls back signed', async () => {
    const job = jobFor(gateway)
    const accepted = await send(job)
    expect([accepted.status, await accepted.json()]).toEqual([
      202,
      { accepted: true, job_id: job.job_id, estimated_seconds: expect.any(Number) },
    ])
    await waitUntil(() => gateway.callbacks.length === 1)

    expect(gateway.artifacts).toHaveLength(1)
    expect(gateway.artifacts[0]?.headers.authorization).toBe('Bearer write-token-1')
    const artifact = researchArtifactSubmission.parse(JSON.parse(gateway.artifacts[0]?.body ?? ''))
    expect(artifact).toMatchObject({
      job_id: job.job_id,
      type: 'RESEARCH_BRIEF',
      engine: { id: 'extractive', model: null },
      grounding: { status: 'grounded' },
    })
    expect(artifact.content.summary).toBe('When the lease expired, the plot goes to the next gardener.')
    expect(artifact.sources.every((s) => isVerbatim(s, GARDEN))).toBe(true)

    const [callback] = gateway.callbacks
    expect(callback?.path).toBe(`/jobs/${job.job_id}/result`)
    expect(callback?.headers.authorization).toBe(`Bearer ${CALLBACK_TOKEN}`)
    expect(isSigned(SIGNING_KEY, callback?.headers as Record<string, string>, callback?.body ?? '')).toBe(
      true,
    )
    expect(nlmCallback.parse(JSON.parse(callback?.body ?? ''))).toEqual({
      job_id: job.job_id,
      status: 'COMPLETE',
      artifact_id: `art-${job.job_id}`,
      artifact_url: `/api/v1/artifacts/art-${job.job_id}`,
    })
    expect(await view(job.job_id)).toMatchObject({ state: 'DONE', artifact_id: `art-${job.job_id}` })
  })

  it('does the same job once: again in the same words it hands the result over under the new token', async () => {
    const job = jobFor(gateway)
    await send(job)
    await waitUntil(() => gateway.callbacks.length === 1)
    const again = await (await send({ ...job, write_token: 'write-token-2' })).json()
    expect(again).toMatchObject({ accepted: true, artifact_id: `art-${job.job_id}` })
    await waitUntil(() => gateway.callbacks.length === 2)
    expect(gateway.artifacts.map((a) => a.headers.authorization)).toEqual([
      'Bearer write-token-1',
      'Bearer write-token-2',
    ])
    expect(gateway.artifacts[1]?.body).toBe(gateway.artifacts[0]?.body)
    expect(gateway.contextsAsked()).toBe(1)
  })

  it('joins a job that is in progress', async () => {
    gateway.hangContexts = true
    const job = jobFor(gateway)
    expect((await send(job)).status).toBe(202)
    await settled(job.job_id, 'FETCHING_CONTEXT')
    expect((await send(job)).status).toBe(202)
    expect(gateway.contextsAsked()).toBe(1)
  })

  it('refuses a known job with another payload, and ignores the order of its fields', async () => {
    const constraints = { language: 'uk', max_sections: 2 }
    const job = jobFor(gateway, { payload: { query: 'lease', constraints } })
    await send(job)
    const swapped = { constraints: { max_sections: 2, language: 'uk' }, query: 'lease' }
    expect((await send({ ...job, payload: swapped })).status).toBe(202)
    const other = await send({ ...job, payload: { query: 'another' } })
    expect([other.status, (await other.json()).error.code]).toEqual([409, 'IDEMPOTENCY_MISMATCH'])
  })

  it.each([
    ['no key', {}],
    ['another key', { authorization: `Bearer ${KEY}x` }],
    ['the callback token', { authorization: `Bearer ${CALLBACK_TOKEN}` }],
    ['another scheme', { authorization: `Basic ${KEY}` }],
  ])('is 401 with %s', async (_, headers) => {
    const id = randomUUID()
    const answers = [
      await send(jobFor(gateway, { job_id: id }), headers),
      await call(`/jobs/${id}`, { headers }),
      await call(`/jobs/${id}/cancel`, { method: 'POST', headers }),
    ]
    expect(answers.map((a) => a.status)).toEqual([401, 401, 401])
    expect((await call(`/jobs/${id}`, { headers: bearer() })).status).toBe(404)
  })

  it('is 400 for what is no job', async () => {
    const { callback: _, ...without } = jobFor(gateway)
    const bodies = [
      '{',
      '[]',
      '""',
      'null',
      { ...jobFor(gateway), more: 1 },
      without,
      { ...jobFor(gateway), job_id: 'x' },
      { ...jobFor(gateway), payload: 'x' },
    ]
    for (const body of bodies) expect((await send(body)).status, JSON.stringify(body)).toBe(400)
  })

  it('is 413 above 100 KB, announced or not', async () => {
    const big = JSON.stringify(
      jobFor(gateway, { payload: { query: 'x', context_snapshot: 'y'.repeat(101 * 1024) } }),
    )
    expect((await send(big)).status).toBe(413)
    const stream = new Blob([big]).stream()
    const init = { method: 'POST', headers: bearer(), body: stream, duplex: 'half' } as RequestInit
    expect((await call('/jobs/process', init)).status).toBe(413)
  })

  it('is 422 for a payload that does not fit, and names the fields', async () => {
    const payload = (p: object) => jobFor(gateway, { payload: p })
    const context = (url: string) =>
      jobFor(gateway, { context: { memory_snapshot_url: url, entity_refs: [] } })
    const cases: [unknown, string][] = [
      [payload({}), 'payload.query'],
      [payload({ query: ' ' }), 'payload.query'],
      [payload({ query: 'ї'.repeat(25_601) }), 'payload.query'],
      [payload({ query: 'x', more: 1 }), 'payload'],
      [payload({ query: 'x', constraints: { max_sections: 13 } }), 'payload.constraints.max_sections'],
      [payload({ query: 'x', constraints: { engine: 'notebooklm' } }), 'payload.constraints.engine'],
      [
        payload({ query: 'x', sources: [{ ref: 'a', url: 'http://169.254.169.254/latest' }] }),
        'payload.sources.0.url',
      ],
      [payload({ query: 'x', sources: [{ ref: 'a', url: 'file:///etc/passwd' }] }), 'payload.sources.0.url'],
      [jobFor(gateway, { job_type: 'BRIEF' }), 'job_type'],
      [context('http://127.0.0.1:1/contexts/x'), 'context.memory_snapshot_url'],
      [context(`${gateway.origin}/api/v1/contexts/abc`), 'context.memory_snapshot_url'],
      [jobFor(gateway, { callback: 'http://127.0.0.1:1/jobs/x/result' }), 'callback'],
      [jobFor(gateway, { callback: 'nonsense' }), 'callback'],
    ]
    for (const [job, field] of cases) {
      const answer = await send(job)
      const body = await answer.json()
      expect([answer.status, body.error.code, body.errors[0].field], field).toEqual([
        422,
        'VALIDATION_FAILED',
        field,
      ])
      expect((await call(`/jobs/${(job as { job_id: string }).job_id}`, { headers: bearer() })).status).toBe(
        404,
      )
    }
  })

  it('names the origin of an address that it may not reach, and no more of it', async () => {
    const url = 'http://169.254.169.254/latest?key=hidden'
    const answer = await send(jobFor(gateway, { payload: { query: 'x', sources: [{ ref: 'a', url }] } }))
    const text = await answer.text()
    expect(nlmFaults.parse(JSON.parse(text)).errors).toMatchObject([
      { refused: { origin: 'http://169.254.169.254', reason: 'origin' } },
    ])
    expect(text).not.toContain('hidden')
  })

  it('sends the callback token to the configured origin alone, though others are listed', async () => {
    const other = await fakeGateway()
    const env = envFor(gateway, { NLM_ALLOWED_ORIGINS: `${gateway.origin},${other.origin}` })
    const open = await startNlmBackend(env, pino({ level: 'silent' }), 0)
    const body = JSON.stringify(jobFor(gateway, { callback: `${other.origin}/jobs/x/result` }))
    const answer = await fetch(`http://127.0.0.1:${open.port}/jobs/process`, {
      method: 'POST',
      headers: bearer(),
      body,
    })
    expect([answer.status, (await answer.json()).errors]).toMatchObject([
      422,
      [{ field: 'callback', message: 'is not at the configured origin' }],
    ])
    expect(other.callbacks).toEqual([])
    await open.stop()
    await other.close()
  })

  it('is 503 with Retry-After when the queue is full', async () => {
    gateway.hangContexts = true
    for (let i = 0; i < NLM_QUEUE_LIMIT + 2; i++) expect((await send(jobFor(gateway))).status).toBe(202)
    const answer = await send(jobFor(gateway))
    expect([answer.status, answer.headers.get('retry-after'), (await answer.json()).error.retryable]).toEqual(
      [503, '5', true],
    )
    expect(nlmHealth.parse(await (await call('/health')).json()).queue_depth).toBe(NLM_QUEUE_LIMIT)
  })
})

describe('the rest of the surface', () => {
  it('cancels what is not handed over, without a callback, and does it when asked again', async () => {
    gateway.hangContexts = true
    const job = jobFor(gateway)
    await send(job)
    await settled(job.job_id, 'FETCHING_CONTEXT')
    const cancelled = await call(`/jobs/${job.job_id}/cancel`, { method: 'POST', headers: bearer() })
    expect([cancelled.status, await cancelled.json()]).toMatchObject([
      202,
      { state: 'ERROR', error: { code: 'CANCELLED' } },
    ])
    gateway.hangContexts = false
    await send(job)
    await waitUntil(() => gateway.callbacks.length > 0)
    expect(gateway.callbacks.map((c) => JSON.parse(c.body).status)).toEqual(['COMPLETE'])
  })

  it('answers 404 for unknown jobs and addresses', async () => {
    expect((await call(`/jobs/${randomUUID()}`, { headers: bearer() })).status).toBe(404)
    expect((await call(`/jobs/${randomUUID()}/cancel`, { method: 'POST', headers: bearer() })).status).toBe(
      404,
    )
    expect((await call('/nothing')).status).toBe(404)
  })

  it('tells its health and metrics without a key, and no ids', async () => {
    const job = jobFor(gateway)
    await send(job)
    await waitUntil(() => gateway.callbacks.length === 1)
    await settled(job.job_id, 'DONE')
    const health = nlmHealth.parse(await (await call('/health')).json())
    expect(health).toMatchObject({
      status: 'ok',
      version: VERSION,
      minio_connected: true,
      nlm_connected: false,
      jobs_processed: 1,
      engine: 'extractive',
      queue_depth: 0,
    })
    const metrics = await (await call('/metrics')).text()
    expect(metrics).toContain('nlm_jobs_total{type="RESEARCH",outcome="ok"} 1')
    expect(metrics).not.toContain(job.job_id)
  })

  it('logs each phase and the end of a job with its name and its time', async () => {
    const lines: Record<string, unknown>[] = []
    const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) })
    const logged = await startNlmBackend(envFor(gateway), log, 0)
    const job = jobFor(gateway)
    await fetch(`http://127.0.0.1:${logged.port}/jobs/process`, {
      method: 'POST',
      headers: bearer(),
      body: JSON.stringify(job),
    })
    await waitUntil(() => gateway.callbacks.length === 1)
    await logged.stop()
    const time = { job_id: job.job_id, job_type: 'RESEARCH', ms: expect.any(Number) }
    const phases = [
      ...['ACCEPTED', 'FETCHING_CONTEXT', 'BUILDING_PROMPT', 'NLM_QUERY', 'STRUCTURING', 'CALLBACK'],
    ].map((phase) => ({ ...time, phase, msg: 'phase ended' }))
    expect(lines.filter((line) => 'job_id' in line)).toMatchObject([
      ...phases,
      { ...time, phase: 'DONE', msg: 'work ended' },
    ])
  })

  it('is degraded while the store is away, and still serves', async () => {
    await gateway.close()
    const alone = await startNlmBackend(envFor(gateway), pino({ level: 'silent' }), 0)
    const health = await (await fetch(`http://127.0.0.1:${alone.port}/health`)).json()
    expect(health).toMatchObject({ status: 'degraded', minio_connected: false })
    await alone.stop()
  })

  it('notices soon that the store is there, or back', async () => {
    await gateway.close()
    const early = await startNlmBackend(envFor(gateway), pino({ level: 'silent' }), 0)
    const status = async () => (await (await fetch(`http://127.0.0.1:${early.port}/health`)).json()).status
    expect(await status()).toBe('degraded')
    const store = createServer((_, response) => response.setHeader('content-type', JSON_TYPE).end('{}'))
    store.listen(Number(new URL(gateway.origin).port), '127.0.0.1')
    await expect.poll(status, { timeout: SOON_MS }).toBe('ok')
    await early.stop()
    await new Promise((resolve) => store.close(resolve))
  })

  it('answers from the sources of the payload, or from those of the context that it names', async () => {
    const text = '# Own\n\nA lease of one’s own.\n'
    const own = jobFor(gateway, { payload: { query: 'lease', sources: [{ ref: 'own.md', text }] } })
    const url = gateway.context(snapshotOf()).replace(/\?.*/u, '')
    const fetched = jobFor(gateway, {
      payload: { query: 'memory_revision lease', sources: [{ ref: 'fetched.json', url }] },
    })
    const named = jobFor(gateway, { payload: { query: 'lease яблуні', sources: [{ ref: 'вода.md' }] } })
    const refs: string[][] = []
    for (const job of [own, fetched, named]) {
      await send(job)
      await settled(job.job_id, 'DONE')
      const artifact = gateway.artifacts.find((a) => JSON.parse(a.body).job_id === job.job_id)
      refs.push([
        ...new Set<string>(JSON.parse(artifact?.body ?? '').sources.map((s: { ref: string }) => s.ref)),
      ])
    }
    expect(refs).toEqual([['own.md'], ['fetched.json'], ['вода.md']])
  })
})
