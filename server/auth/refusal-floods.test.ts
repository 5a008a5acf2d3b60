import sql from 'sql-template-tag'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type TestGateway, testGateway } from '#server/http/testing/gateway.ts'
import { MAX_FOLDS } from './refusal-folds.ts'
import { requestGuards } from './request-guards.ts'
import { signInWithLink } from './sign-in.ts'

const FLOOD = 1_000
const SENDERS = 20

let gateway: TestGateway
beforeEach(async () => {
  gateway = await testGateway({ env: { BLOOM_OWNER_PASSWORD: 'a long enough phrase 42' } })
})
afterEach(() => gateway.close())

const refusals = async () =>
  (
    await gateway.services.db.query<{
      name: string
      n: number
      requests: number
    }>(sql`SELECT name, count(*) AS n,
      sum((details->>'count')::int)::int AS requests FROM event WHERE outcome = 'refused' GROUP BY name ORDER BY name`)
  ).rows

/** Sends them all, a few at a time. */
async function flood(send: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const sender = async () => {
    for (let n = next++; n < FLOOD; n = next++) await send(n)
  }
  await Promise.all(Array.from({ length: SENDERS }, sender))
}

async function post(body: object, address: string): Promise<void> {
  const answer = await gateway.app.request('/api/v1/auth/token', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-garden-peer': address },
    body: JSON.stringify(body),
  })
  expect([401, 403, 429]).toContain(answer.status)
}

describe('a flood of wrong sign-ins', () => {
  test('from one client leaves an event for each kind, and one more with the count of the rest', async () => {
    await flood((n) => post({ name: `name-${n}`, password: 'wrong' }, '10.9.0.1'))
    expect(await refusals()).toEqual([
      { name: 'access.refused', n: 2, requests: 2 },
      { name: 'auth.failed', n: 2, requests: 2 },
    ])
    await requestGuards(gateway.services).refusals.flush(gateway.services)
    expect(await refusals()).toEqual([
      { name: 'access.refused', n: 4, requests: FLOOD },
      { name: 'auth.failed', n: 4, requests: FLOOD },
    ])
  })

  test('from a thousand addresses leaves no more events than may be folded apart, and counts every request', async () => {
    await flood(async (n) => {
      const address = `10.9.${n >> 8}.${n & 255}`
      // A wrong link and a wrong code: neither costs a password's hash.
      await signInWithLink(gateway.services, `wrong-${n}`, { address, via: 'console' })
      await post({ zone_code: 'ZONE-AAAA-AAAA', consent_version: 1 }, address)
    })
    const before = await refusals()
    expect(before.reduce((sum, { n }) => sum + n, 0)).toBeLessThanOrEqual(MAX_FOLDS + 2)
    await requestGuards(gateway.services).refusals.flush(gateway.services)
    const after = await refusals()
    expect(after.reduce((sum, { n }) => sum + n, 0)).toBeLessThanOrEqual(2 * (MAX_FOLDS + 2))
    expect(after.map(({ requests }) => requests)).toEqual([FLOOD, FLOOD])
    const { rows } = await gateway.services.db.query<{ details: object }>(
      sql`SELECT details FROM event WHERE resource_id = 'several' AND name = 'auth.failed' ORDER BY id DESC LIMIT 1`,
    )
    expect(rows[0]?.details).toMatchObject({ address_hash: 'several' })
  })

  test('of many kinds from one address folds the rest of that address together', async () => {
    const { services } = gateway
    const { refusals: folds } = requestGuards(services)
    const caller = { role: 'anonymous', identity: 'anonymous', via: 'api' } as const
    const refusal = { code: 'FORBIDDEN', message: 'no' } as const
    for (let n = 0; n < 50; n++)
      await folds.record(services, { caller, address: '10.9.1.1', endpoint: `POST /of/mine/${n}`, refusal })
    await folds.record(services, { caller, address: '10.9.1.2', endpoint: 'POST /of/mine/1', refusal })
    await folds.flush(services)
    const { rows } = await services.db.query<{ resource_id: string; count: number }>(
      sql`SELECT resource_id, sum((details->>'count')::int)::int AS count FROM event WHERE name = 'access.refused' GROUP BY 1 ORDER BY 2 DESC LIMIT 2`,
    )
    expect(rows).toEqual([
      { resource_id: 'several', count: 34 },
      { resource_id: 'POST /of/mine/1', count: 2 },
    ])
  })
})
