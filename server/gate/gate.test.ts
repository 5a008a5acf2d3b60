import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ANONYMOUS, type Caller } from '#domain/authority/caller.ts'
import { refuse } from '#domain/kernel/result.ts'
import { factsOf } from '#server/auth/request-facts.ts'
import { requestGuards } from '#server/auth/request-guards.ts'
import { type TestGateway, testGateway } from '#server/http/testing/gateway.ts'
import { answerTrpc } from '#server/trpc/answer-trpc.ts'
import { type Face, PRODUCT_FACE } from './face.ts'
import { type Gated, pass } from './gate.ts'
import { arrive, NOBODY, visitOf } from './visit.ts'

const OWNER: Caller = { role: 'owner', identity: 'owner', via: 'console' }
/** A wire whose clients know `{"detail"}` and send fields that we do not. */
const LENIENT: Face = {
  ...PRODUCT_FACE,
  errorBody: ({ message }) => ({ detail: message }),
  unknownFields: 'ignored',
  emptyBody: 'refused',
}

let gateway: TestGateway
beforeAll(async () => {
  gateway = await testGateway()
})
afterAll(() => gateway.close())

const seen: string[] = []
const gated: Gated = {
  kind: 'write',
  policy: { action: 'zone.manage' },
  input: z.strictObject({ n: z.number() }),
  output: z.object({ n: z.number() }),
  status: 200,
  run: async (_ctx, { n }: { n: number }) => {
    seen.push('run')
    return { n }
  },
}
const call = (caller: Caller, value: unknown, { face = PRODUCT_FACE, entry = gated } = {}) =>
  pass(entry, visitOf(gateway.services, { ...NOBODY, caller }, null, face), {
    endpoint: 'test',
    idempotencyKey: undefined,
    read: async () => {
      seen.push('read')
      return { ok: true, value: { value, fingerprint: () => '' } }
    },
  })

describe('the gate', () => {
  test('reads nothing from somebody without the right', async () => {
    seen.length = 0
    expect(await call(ANONYMOUS, { n: 1 })).toMatchObject({ refusal: { code: 'AUTH_REQUIRED' } })
    expect(seen).toEqual([])
    expect(await call(OWNER, { n: 1 })).toEqual({
      ok: true,
      value: { status: 200, value: { n: 1 }, replayed: false },
    })
    expect(seen).toEqual(['read', 'run'])
  })

  test('runs nothing on input that does not fit', async () => {
    seen.length = 0
    expect(await call(OWNER, { n: 'x' })).toMatchObject({ refusal: { code: 'VALIDATION_FAILED' } })
    expect(await call(OWNER, { n: 1, m: 2 })).toMatchObject({ refusal: { code: 'VALIDATION_FAILED' } })
    expect(seen).toEqual(['read', 'read'])
  })

  test('lets nobody through without a policy', async () => {
    const entry = { ...gated, policy: undefined as never }
    expect(await call(OWNER, { n: 1 }, { entry })).toMatchObject({ refusal: { code: 'FORBIDDEN' } })
  })

  test('takes a Result, a refusal, and a value that looks like neither', async () => {
    const answering = (answer: unknown) =>
      call(OWNER, { n: 1 }, { entry: { ...gated, output: null, run: async () => answer } })
    expect(await answering({ ok: true, value: 5 })).toMatchObject({ value: { value: 5 } })
    expect(await answering({ ok: true })).toMatchObject({ value: { value: { ok: true } } })
    expect(await answering(refuse({ code: 'NOT_FOUND', message: 'x' }))).toMatchObject({ ok: false })
  })

  test('opens for nobody while callers cannot be identified', async () => {
    const down = { ...gateway.services, db: { query: () => Promise.reject(new Error('down')) } }
    const headers = await gateway.bearer(await gateway.open({}))
    const facts = factsOf(new Request('http://x/', { headers }), 'test')
    const visit = await arrive(down as never, facts)
    const outcome = await pass({ ...gated, policy: { open: 'a test' } }, visit, {
      endpoint: 'test',
      idempotencyKey: undefined,
      read: async () => ({ ok: true, value: { value: { n: 1 }, fingerprint: () => '' } }),
    })
    expect(outcome).toMatchObject({ refusal: { code: 'INTERNAL_ERROR' } })
  })
})

describe('a face', () => {
  test('may let fields pass that no schema knows; they are left out', async () => {
    const answer = await call(OWNER, { n: 1, m: 2 }, { face: LENIENT })
    expect(answer).toMatchObject({ ok: true, value: { value: { n: 1 } } })
    const entry = { ...gated, input: null, output: null, run: async () => 'done' }
    expect(await call(OWNER, { m: 2 }, { face: LENIENT, entry })).toMatchObject({ ok: true })
    expect(await call(OWNER, { m: 2 }, { entry })).toMatchObject({ refusal: { code: 'VALIDATION_FAILED' } })
  })
})

describe('on both edges', () => {
  const trpc = (path: string, headers: Record<string, string>, input: unknown) => {
    const init = { method: 'POST', headers, body: JSON.stringify(input) }
    return answerTrpc(gateway.services, new Request(`http://localhost/api/trpc/${path}`, init))
  }

  test('a limit that is counted elsewhere is waited for, and says the same', async () => {
    const { limits } = requestGuards(gateway.services)
    const { admit } = limits
    const full = { allowed: false, limit: 1, remaining: 0, resetSeconds: 7 }
    Object.assign(limits, { admit: async () => full })
    try {
      const headers = await gateway.bearer(await gateway.open({}))
      const body = JSON.stringify({ name: 'Z', folders: ['a'] })
      const rest = await gateway.app.request('/api/v1/zones', { method: 'POST', headers, body })
      const procedure = await trpc('zones.create', headers, { name: 'Z', folders: ['a'] })
      const envelopes = [await rest.json(), (await procedure.json()).error.data.envelope]
      expect([rest.status, procedure.status]).toEqual([429, 429])
      expect(envelopes[0].error).toEqual(envelopes[1].error)
      for (const answer of [rest, procedure]) {
        expect([answer.headers.get('retry-after'), answer.headers.get('ratelimit-limit')]).toEqual(['7', '1'])
      }
    } finally {
      Object.assign(limits, { admit })
    }
  })

  test('an Idempotency-Key gives one effect', async () => {
    const headers = { ...(await gateway.bearer(await gateway.open({}))), 'idempotency-key': 'over-trpc' }
    const create = (name: string) => trpc('zones.create', headers, { name, folders: ['a'] })
    const [first, again] = [await (await create('Once')).json(), await (await create('Once')).json()]
    expect(first.result.data.zone.zone_id).toMatch(/^[0-9a-f]{8}$/)
    expect(again).toEqual(first)
    const other = await (await create('Twice')).json()
    expect(other.error.data.envelope.error.code).toBe('IDEMPOTENCY_MISMATCH')
    const batch = await trpc('zones.create,zones.create?batch=1', headers, {})
    expect((await batch.json()).error.code).toBe('BAD_REQUEST')
  })
})
