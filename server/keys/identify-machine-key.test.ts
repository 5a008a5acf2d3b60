import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { CreatedKey } from '#contracts/key.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import type { KeyKind } from '#domain/machine-key/key-kinds.ts'
import { factsOf, PEER_HEADER } from '#server/auth/request-facts.ts'
import { requestGuards } from '#server/auth/request-guards.ts'
import { type Gated, pass } from '#server/gate/gate.ts'
import { visitOf } from '#server/gate/visit.ts'
import { type TestGateway, testGateway } from '#server/http/testing/gateway.ts'
import { createKey } from './create-key.ts'
import { identifyMachineKey } from './identify-machine-key.ts'
import { revokeKey } from './revoke-key.ts'
import { somebodyWaits } from './testing/somebody-waits.ts'

const OWNER: Caller = { role: 'owner', identity: 'owner', via: 'console' }
let gateway: TestGateway
beforeAll(async () => {
  gateway = await testGateway()
})
afterAll(() => gateway.close())

let nodes = 0
async function newKey(): Promise<CreatedKey> {
  const input = { kind: 'node', node_id: `node-${++nodes}`, name: 'x', expires_in_days: 1 } as const
  const made = await createKey(gateway.services, input, OWNER)
  if (!made.ok) throw new Error('no key')
  return made.value
}
const set = (key_id: string, assignment: ReturnType<typeof sql>) =>
  gateway.services.db.query(sql`UPDATE machine_key SET ${assignment} WHERE key_id = ${key_id}`)
const expire = (id: string) => set(id, sql`expires_at = clock_timestamp() - interval '1 ms'`)

/** What a route that accepts keys of nodes makes of a request; its policy asks for no right beside the key. */
const gated: Gated = {
  kind: 'read',
  policy: { key: 'signed' },
  input: null,
  output: z.string(),
  status: 200,
  run: async ({ caller }) => `${caller.role} ${caller.identity} ${caller.via}`,
}
const ENDPOINT = 'POST /agent/heartbeat'
async function send(key: string | null, { peer = '127.0.0.1', kind = 'node' as KeyKind } = {}) {
  const { services } = gateway
  const request = new Request('http://localhost:8000/agent/heartbeat', {
    headers: { [PEER_HEADER]: peer, host: 'localhost:8000' },
  })
  const facts = factsOf(request, ENDPOINT)
  const who = await identifyMachineKey(services, kind, { key, via: 'control-plane' }, facts)
  const outcome = await pass(gated, visitOf(services, who, facts), {
    endpoint: ENDPOINT,
    idempotencyKey: undefined,
    read: async () => ({ ok: true, value: { value: undefined, fingerprint: () => '' } }),
  })
  if (!outcome.ok) return outcome.refusal
  return outcome.value instanceof Response ? null : outcome.value.value
}

type Audited = { reason: string; actor: string; error_code: string; details: Record<string, unknown> }
async function audited(): Promise<Audited[]> {
  await requestGuards(gateway.services).refusals.flush(gateway.services)
  const { rows } = await gateway.services.db.query<Audited>(sql`SELECT reason, actor, error_code, details
    FROM event WHERE name = 'access.refused' AND resource_id = ${ENDPOINT} ORDER BY id`)
  return rows
}
let before = 0
beforeEach(async () => {
  before = (await audited()).length
})
const newlyAudited = async () =>
  (await audited()).slice(before).map(({ reason, actor, error_code, details }) => ({
    ...{ reason, actor, error_code, count: details.count },
    ...(details.key_id ? { key_id: details.key_id } : {}),
  }))

describe('a key that is valid', () => {
  test('makes its node the caller, as long as it is', async () => {
    const { key, secret } = await newKey()
    expect(await send(secret)).toBe(`node node:${key.node_id} control-plane`)
    await revokeKey(gateway.services, key, OWNER)
    expect(await send(secret)).toMatchObject({ code: 'AUTH_REQUIRED' })
  })

  test('is noted as used once a minute, however many requests it opens', async () => {
    const { key, secret } = await newKey()
    const used = async () =>
      (
        await gateway.services.db.query<{ at: string | null; version: string }>(
          sql`SELECT last_used_at AS at, xmin::text AS version FROM machine_key WHERE key_id = ${key.key_id}`,
        )
      ).rows[0]
    const made = await used()
    expect(made?.at).toBeNull()
    await Promise.all(Array.from({ length: 8 }, () => send(secret)))
    const first = await used()
    expect(first?.at).not.toBeNull()
    await send(secret)
    expect(await used()).toEqual(first)
    await set(key.key_id, sql`last_used_at = last_used_at - interval '61 s'`)
    const earlier = await used()
    await send(secret)
    expect((await used())?.version).not.toBe(earlier?.version)
  })
})

test('a use is not written again over one that another request has just written', async () => {
  const { key, secret } = await newKey()
  const { db } = gateway.services
  const used = async () =>
    (await db.query(sql`SELECT last_used_at, xmin::text FROM machine_key WHERE key_id = ${key.key_id}`)).rows
  const late = await db.transaction(async (tx) => {
    await tx.query(sql`UPDATE machine_key SET last_used_at = clock_timestamp() WHERE key_id = ${key.key_id}`)
    const sent = send(secret)
    await somebodyWaits(db)
    return {
      sent,
      written: (
        await tx.query(sql`SELECT last_used_at, xmin::text FROM machine_key WHERE key_id = ${key.key_id}`)
      ).rows,
    }
  })
  expect(await late.sent).toBe(`node node:${key.node_id} control-plane`)
  expect(await used()).toEqual(late.written)
})

describe('a key that is not', () => {
  const NODE = { actor: 'anonymous', error_code: 'AUTH_REQUIRED', count: 1 }

  test('gets one answer whatever is wrong, and the audit learns what', async () => {
    const [revoked, expired, other] = [await newKey(), await newKey(), await newKey()]
    await revokeKey(gateway.services, revoked.key, OWNER)
    await expire(expired.key.key_id)
    const wrongSecret = `${other.secret.slice(0, -3)}${other.secret.endsWith('AAA') ? 'BBB' : 'AAA'}`
    const answers = [
      await send(null),
      await send('hello'),
      await send(`gbk_${'0'.repeat(16)}_${other.secret.slice(21)}`),
      await send(wrongSecret),
      await send(revoked.secret),
      await send(expired.secret),
      await send(other.secret, { kind: 'another' as KeyKind }),
    ]
    expect(answers).toEqual(Array(7).fill(answers[0]))
    expect(answers[0]).toEqual({ code: 'AUTH_REQUIRED', message: 'The key is missing or wrong.' })
    expect(await newlyAudited()).toEqual([
      { ...NODE, reason: 'no key' },
      { ...NODE, reason: 'unknown key' },
      { ...NODE, reason: 'revoked key', key_id: revoked.key.key_id },
      { ...NODE, reason: 'expired key', key_id: expired.key.key_id },
      { ...NODE, reason: 'wrong kind of key', key_id: other.key.key_id },
      { ...NODE, reason: 'unknown key', count: 2 },
    ])
  })

  test('is folded by the minute, each key apart', async () => {
    const [one, other] = [await newKey(), await newKey()]
    for (const { key } of [one, other]) await revokeKey(gateway.services, key, OWNER)
    for (let i = 0; i < 5; i++) await send(one.secret)
    await send(other.secret)
    const counts = (await newlyAudited()).map(({ key_id, count }) => [key_id, count])
    expect(counts).toEqual([
      [one.key.key_id, 1],
      [other.key.key_id, 1],
      [one.key.key_id, 4],
    ])
  })

  test('is in clear from the network: 403, and not looked at', async () => {
    const { key, secret } = await newKey()
    expect(await send(secret, { peer: '10.0.0.9' })).toMatchObject({ code: 'FORBIDDEN' })
    expect(await newlyAudited()).toEqual([{ ...NODE, error_code: 'FORBIDDEN', reason: 'key in clear' }])
    const { rows } = await gateway.services.db.query<{ at: Date | null }>(
      sql`SELECT last_used_at AS at FROM machine_key WHERE key_id = ${key.key_id}`,
    )
    expect(rows).toEqual([{ at: null }])
  })

  test('of any bytes is refused and never breaks', async () => {
    const { secret } = await newKey()
    for (let i = 0; i < secret.length; i += 3) {
      for (const byte of ['\0', 'é', '_', '￿', '']) {
        const odd = secret.slice(0, i) + byte + secret.slice(i + 1)
        if (odd !== secret) expect(await send(odd)).toMatchObject({ code: 'AUTH_REQUIRED' })
      }
    }
    for (const odd of [`${secret} `, secret.repeat(1_000), `Bearer ${secret}`])
      expect(await send(odd)).toMatchObject({ code: 'AUTH_REQUIRED' })
  })
})
