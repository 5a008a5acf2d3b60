import pino from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nlmAnswer } from '#contracts/nlm-query.contract.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { type NlmBackend, startNlmBackend } from './nlm-backend.ts'
import {
  envFor,
  type FakeGateway,
  fakeGateway,
  GARDEN,
  jobFor,
  KEY,
  snapshotOf,
} from './testing/fake-gateway.ts'

let gateway: FakeGateway
let backend: NlmBackend
beforeAll(async () => {
  gateway = await fakeGateway()
  backend = await startNlmBackend(envFor(gateway), pino({ level: 'silent' }), 0)
})
afterAll(async () => {
  await gateway.close()
  await backend.stop()
})

const call = async (path: string, body?: unknown, key = KEY) => {
  const sent =
    body === undefined ? {} : { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }
  const answer = await fetch(`http://127.0.0.1:${backend.port}${path}`, {
    ...sent,
    headers: { authorization: `Bearer ${key}` },
  })
  return { status: answer.status, json: await answer.json() }
}
const ask = (body: unknown, key?: string) => call('/query', body, key)
const texts = GARDEN.map(({ ref, text }) => ({ ref, text }))
const question = 'What happens when the lease expired?'

describe('POST /query', () => {
  it('answers at once with quotes of the given texts, and leaves no artifact', async () => {
    const { status, json } = await ask({ question, sources: texts })
    expect(status).toBe(200)
    const answer = nlmAnswer.parse(json)
    expect(answer).toMatchObject({
      answer: 'When the lease expired, the plot goes to the next gardener.',
      grounding: { status: 'grounded' },
      engine: { id: 'extractive', model: null },
    })
    const cited = answer.citations.map(({ source, quote }) =>
      GARDEN.find((n) => n.ref === source)?.text.includes(quote),
    )
    expect([cited.length > 0, cited.every(Boolean)]).toEqual([true, true])
    expect(gateway.artifacts).toEqual([])
  })

  it('reads a context, all of it or the sources that are named', async () => {
    const context = { memory_snapshot_url: gateway.context(snapshotOf()) }
    const cited = async (sources: string[]) =>
      nlmAnswer
        .parse((await ask({ question: 'lease яблуні', sources, context })).json)
        .citations.map((c) => c.source)
    expect(new Set(await cited([]))).toEqual(new Set(['lease.md', 'вода.md']))
    expect(new Set(await cited(['вода.md']))).toEqual(new Set(['вода.md']))
  })

  it('says so when nothing answers', async () => {
    const { json } = await ask({ question, sources: [] })
    expect(json).toMatchObject({ citations: [], grounding: { status: 'ungrounded', grounded_claims: 0 } })
  })

  it.each<[string, unknown, number, string?]>([
    ['no key', { question, sources: [] }, 401, `${KEY}x`],
    ['no JSON', '{', 400],
    ['no question', { sources: [] }, 422],
    ['a field that nobody knows', { question, sources: [], model: 'x' }, 422],
    [
      'an address that is not listed',
      { question, sources: [{ ref: 'meta', url: 'http://169.254.169.254/' }] },
      422,
    ],
    [
      'a context without a digest',
      { question, sources: [], context: { memory_snapshot_url: 'ORIGIN/context' } },
      422,
    ],
    [
      'a source that is not there',
      { question, sources: [{ ref: 'a', url: `ORIGIN/api/v1/contexts/${'0'.repeat(64)}` }] },
      502,
    ],
    ['more than 100 KB', { question, sources: [{ ref: 'a', text: 'x'.repeat(101 * 1024) }] }, 413],
  ])('refuses %s', async (_, body, status, key) => {
    const sent = JSON.stringify(body).replaceAll('ORIGIN', gateway.origin)
    expect((await ask(typeof body === 'string' ? body : sent, key)).status).toBe(status)
  })
})

it('counts the artifacts that the store took, by type, a repeat not', async () => {
  expect((await call('/artifacts/stats', undefined, `${KEY}x`)).status).toBe(401)
  expect((await call('/artifacts/stats')).json).toEqual({ total: 0, by_type: {} })
  const job = jobFor(gateway)
  for (const turn of [1, 2]) {
    expect((await call('/jobs/process', job)).status).toBe(202)
    await waitUntil(() => gateway.callbacks.length === turn)
  }
  expect((await call('/artifacts/stats')).json).toEqual({ total: 1, by_type: { RESEARCH_BRIEF: 1 } })
})
