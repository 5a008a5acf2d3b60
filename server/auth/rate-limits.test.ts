import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestGateway, testGateway } from '#server/http/testing/gateway.ts'
import { answerTrpc } from '#server/trpc/answer-trpc.ts'
import { RateLimits } from './rate-limits.ts'

describe('the sliding minute', () => {
  test('never lets more than the limit through in any minute, and always as many', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), steps, (limit, gaps) => {
        const limits = new RateLimits()
        const passed: number[] = []
        let now = 1_000_000
        for (const gap of gaps) {
          now += gap
          const recent = passed.filter((time) => time > now - 60_000).length
          const admission = limits.count('k', limit, now)
          expect(admission.allowed).toBe(recent < limit)
          expect(admission.resetSeconds).toBeGreaterThanOrEqual(1)
          if (admission.allowed) passed.push(now)
        }
      }),
    )
  })

  test('says when the next one may come, and keeps that word', () => {
    const limits = new RateLimits()
    limits.count('k', 1, 0)
    const { resetSeconds } = limits.count('k', 1, 10_500)
    expect(limits.count('k', 1, 10_500 + resetSeconds * 1_000).allowed).toBe(true)
  })
})

describe('over HTTP', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await testGateway({
      env: {
        RATE_OWNER_CHANGES: '3',
        RATE_OWNER_READS: '5',
        RATE_GUEST_READS: '2',
        RATE_ANONYMOUS_READS: '2',
      },
    })
  })
  afterAll(() => gateway.close())

  const get = (path: string, headers: Record<string, string>) => gateway.app.request(path, { headers })

  test('an identity has one limit over all its sessions, changes and reads apart', async () => {
    const [one, two] = [
      await gateway.bearer(await gateway.open({})),
      await gateway.bearer(await gateway.open({})),
    ]
    const reads: number[] = []
    for (let i = 0; i < 7; i++) reads.push((await get('/api/v1/zones', i % 2 ? one : two)).status)
    expect(reads).toEqual([200, 200, 200, 200, 200, 429, 429])
    const limited = await get('/api/v1/zones', one)
    expect((await limited.json()).error).toMatchObject({ code: 'RATE_LIMITED', retryable: true })
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(limited.headers.get('ratelimit-remaining')).toBe('0')
    const body = JSON.stringify({ name: 'x', folders: ['a'] })
    const changes: number[] = []
    for (let i = 0; i < 4; i++) {
      changes.push(
        (await gateway.app.request('/api/v1/zones', { method: 'POST', headers: one, body })).status,
      )
    }
    expect(changes).toEqual([201, 201, 201, 429])
  })

  test('an address has one when nobody is signed in; health is not counted', async () => {
    const from = (peer: string) => ({ 'x-garden-peer': peer })
    const seen: number[] = []
    for (let i = 0; i < 3; i++) seen.push((await get('/api/v1/auth/me', from('10.0.0.1'))).status)
    expect(seen).toEqual([200, 200, 429])
    expect((await get('/api/v1/auth/me', from('10.0.0.2'))).status).toBe(200)
    for (let i = 0; i < 5; i++) expect((await get('/health', from('10.0.0.1'))).status).toBe(200)
  })

  test('a batch of the console counts once', async () => {
    const headers = await gateway.bearer(await gateway.open({ role: 'owner', identity: 'owner:second' }))
    const input = encodeURIComponent(JSON.stringify({ 0: { json: {} }, 1: { json: {} }, 2: { json: {} } }))
    const url = `http://localhost/api/trpc/zones.list,zones.list,zones.list?batch=1&input=${input}`
    const statuses: number[] = []
    for (let i = 0; i < 6; i++)
      statuses.push((await answerTrpc(gateway.services, new Request(url, { headers }))).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
  })
})
