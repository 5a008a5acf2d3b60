import fc from 'fast-check'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ANONYMOUS } from '#domain/authority/caller.ts'
import { type TestGateway, testEnv, testGateway } from '#server/http/testing/gateway.ts'
import { createTestDatabase } from '#server/launch/testing/test-database.ts'
import { type Database, type Db, openDatabase } from '#server/ledger/database.ts'
import { answerTrpc } from '#server/trpc/answer-trpc.ts'
import { RateLimits } from './rate-limits.ts'

const SLICE_MS = 1_000

describe('the sliding minute', () => {
  let database: Database
  let drop: () => Promise<void>
  let subjects = 0
  beforeAll(async () => {
    const created = await createTestDatabase()
    drop = created.drop
    database = openDatabase(created.webUrl)
  })
  afterAll(async () => {
    await database.close()
    await drop()
  })
  const subject = () => `subject-${subjects++}`

  test('lets never more than the limit through in any minute, and always as many but for one slice', async () => {
    const steps = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 6 }), steps, async (limit, gaps) => {
        const processes = [new RateLimits(database), new RateLimits(database)]
        const [who, passed] = [subject(), [] as number[]]
        let now = 1_000_000
        for (const [i, gap] of gaps.entries()) {
          now += gap
          const since = (ms: number) => passed.filter((time) => time > now - ms).length
          const [exact, late] = [since(60_000), since(60_000 + SLICE_MS)]
          const admission = await (processes[i % 2] as RateLimits).count(who, limit, now)
          if (admission.allowed) expect(exact).toBeLessThan(limit)
          else expect(late).toBeGreaterThanOrEqual(limit)
          expect(admission.resetSeconds).toBeGreaterThanOrEqual(1)
          if (admission.allowed) passed.push(now)
        }
      }),
      { numRuns: 50 },
    )
  })

  test('is shared by processes that count at the same moment, and says how many remain', async () => {
    const [one, other] = [new RateLimits(database), new RateLimits(database)]
    const who = subject()
    const now = 5_000_000
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? one : other).count(who, 8, now)),
    )
    const passed = answers.filter((answer) => answer.allowed)
    expect(passed.map((answer) => answer.remaining).sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    for (const refused of answers.filter((answer) => !answer.allowed)) {
      expect(refused).toMatchObject({ limit: 8, remaining: 0, resetSeconds: 61 })
    }
  })

  test('says when the next one may come, and keeps that word in every process', async () => {
    const [one, other] = [new RateLimits(database), new RateLimits(database)]
    const who = subject()
    await one.count(who, 1, 0)
    const { allowed, resetSeconds } = await other.count(who, 1, 10_500)
    expect(allowed).toBe(false)
    const end = 10_500 + resetSeconds * 1_000
    expect((await other.count(who, 1, 59_999)).allowed).toBe(false)
    expect((await one.count(who, 1, end)).allowed).toBe(true)
    expect((await other.count(who, 1, end)).allowed).toBe(false)
  })

  test('asks the ledger no more about who is full, until the first request leaves', async () => {
    let asked = 0
    const counting: Pick<Db, 'query'> = {
      query: (statement) => {
        asked += 1
        return database.query(statement)
      },
    }
    const [limits, who] = [new RateLimits(counting), subject()]
    for (const now of [0, 1, 2, 30_000, 60_999]) await limits.count(who, 1, now)
    expect(asked).toBe(2)
    expect((await limits.count(who, 1, 61_000)).allowed).toBe(true)
  })

  test('without the ledger a read passes uncounted and a change fails', async () => {
    const gone: Pick<Db, 'query'> = { query: () => Promise.reject(new Error('the ledger is gone')) }
    const limits = new RateLimits(gone)
    const env = testEnv('postgresql://127.0.0.1/none')
    const caller = { role: 'owner', identity: 'owner', via: 'console' } as const
    expect(await limits.admit(env, caller, '10.0.0.1', 'read', 0)).toMatchObject({ allowed: true, limit: 0 })
    await expect(limits.admit(env, caller, '10.0.0.1', 'change', 0)).rejects.toThrow('the ledger is gone')
  })

  test('keeps no address of those who are not signed in', async () => {
    const env = testEnv('postgresql://127.0.0.1/none')
    await new RateLimits(database).admit(env, ANONYMOUS, '203.0.113.7', 'read', Date.now())
    const { rows } = await database.query<{ subject: string }>(
      sql`SELECT subject FROM rate_slice WHERE subject LIKE 'read:anonymous:%'`,
    )
    expect(rows).toHaveLength(1)
    expect(rows[0]?.subject).not.toContain('203.0.113.7')
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
    for (let i = 0; i < 5; i++) expect((await get('/health', from('10.0.0.1'))).status).not.toBe(429)
  })

  test('a batch of the console counts once', async () => {
    const headers = await gateway.bearer(await gateway.open({ role: 'owner', identity: 'owner:second' }))
    const input = encodeURIComponent(JSON.stringify({ 0: {}, 1: {}, 2: {} }))
    const url = `http://localhost/api/trpc/zones.list,zones.list,zones.list?batch=1&input=${input}`
    const statuses: number[] = []
    for (let i = 0; i < 6; i++)
      statuses.push((await answerTrpc(gateway.services, new Request(url, { headers }))).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
  })
})
