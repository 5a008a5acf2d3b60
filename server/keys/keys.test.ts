import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CreatedKey, KeyView } from '#contracts/key.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { KEY_KIND_NAMES, MAX_VALID_KEYS } from '#domain/machine-key/key-kinds.ts'
import { type TestGateway, testGateway } from '#server/http/testing/gateway.ts'
import { holdStill } from '#server/http/testing/whole-gateway.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import { sweepAccess } from '#server/zones/sweep-access.ts'
import { createKey } from './create-key.ts'
import { revokeKey } from './revoke-key.ts'
import { rotateKey } from './rotate-key.ts'
import { somebodyWaits } from './testing/somebody-waits.ts'

const OWNER: Caller = { role: 'owner', identity: 'owner', via: 'console' }
let gateway: TestGateway
let owner: Record<string, string>
beforeAll(async () => {
  gateway = await testGateway()
  const session = await gateway.open({})
  await holdStill(gateway, session.sid)
  owner = await gateway.page(session)
})
afterAll(() => gateway.close())

type Body = CreatedKey & KeyView & { items: KeyView[]; error: { code: string } }
const ask = async (method: string, path: string, body?: unknown, more: Record<string, string> = {}) => {
  const init = { method, headers: { ...owner, ...more } }
  const answer = await gateway.app.request(
    `/api/v1/keys${path}`,
    body === undefined ? init : { ...init, body: JSON.stringify(body) },
  )
  return { status: answer.status, body: (await answer.json()) as Body, headers: answer.headers }
}
let nodes = 0
const newNode = () => `node-${++nodes}`
const make = async (node_id: string, more: Record<string, unknown> = {}) => {
  const made = await ask('POST', '', { node_id, name: 'A node', ...more })
  expect(made.status).toBe(201)
  return made.body
}
const revoke = (id: string) => ask('POST', `/${id}/revoke`)
const rows = async <R extends object>(statement: ReturnType<typeof sql>) =>
  (await gateway.services.db.query<R>(statement)).rows
const eventsOf = async (id: string) =>
  (await rows<{ name: string }>(sql`SELECT name FROM event WHERE resource_id = ${id} ORDER BY id`)).map(
    (e) => e.name,
  )
const ended = (id: string) =>
  gateway.services.db.query(
    sql`UPDATE machine_key SET expires_at = clock_timestamp() - interval '1 ms' WHERE key_id = ${id}`,
  )
const ofNode = async (node: string, status?: string) =>
  (await ask('GET', `?node_id=${node}${status ? `&status=${status}` : ''}`)).body.items

describe('a new key', () => {
  test('is shown once; the ledger keeps its hash, and no answer or event any of its secret', async () => {
    const node = newNode()
    const { key, secret } = await make(node, { name: 'Attic' })
    expect(secret).toMatch(new RegExp(`^gbk_${key.key_id}_[A-Za-z0-9_-]{43}$`))
    expect(key).toMatchObject({ kind: 'node', node_id: node, name: 'Attic', status: 'active' })
    expect(key).toMatchObject({ created_by: 'owner', last_used_at: null, scopes: ['sync', 'tasks'] })
    const kept = JSON.stringify([
      await rows(sql`SELECT k::text AS row FROM machine_key k`),
      await rows(sql`SELECT e::text AS row FROM event e`),
      await ofNode(node),
    ])
    expect(kept).toContain(key.key_id)
    expect(kept).not.toContain(secret.slice(21))
    expect(await eventsOf(key.key_id)).toEqual(['key.created'])
  })

  test('ends after a year, after the days named, or never', async () => {
    const days = async (more: object) => {
      const { key } = await make(newNode(), { ...more })
      return key.expires_at && Math.round((Date.parse(key.expires_at) - Date.now()) / 86_400_000)
    }
    expect(await days({})).toBe(365)
    expect(await days({ expires_in_days: 90 })).toBe(90)
    expect(await days({ expires_in_days: null })).toBeNull()
  })

  test('may be of any node that can beat', async () => {
    const { key } = await make(`Садок ${newNode()}`)
    expect(key.node_id).toMatch(/^Садок /)
  })

  test.each([
    ['a kind that there is not', { kind: 'runtime' }],
    ['a node above another', { node_id: '../attic' }],
    ['a node with a control character', { node_id: 'attic\u0007' }],
    ['a node of spaces', { node_id: '  ' }],
    ['a node that is a folder', { node_id: '.' }],
    ['a node of more than 128 characters', { node_id: 'n'.repeat(129) }],
    ['no name', { name: ' ' }],
    ['an end today', { expires_in_days: 0 }],
    ['an end in more than ten years', { expires_in_days: 3_651 }],
    ['scopes of its own', { scopes: ['admin'] }],
  ])('is refused with %s', async (_, more) => {
    const made = await ask('POST', '', { node_id: 'attic', name: 'A node', ...more })
    expect([made.status, made.body.error.code]).toEqual([422, 'VALIDATION_FAILED'])
  })

  test('is made once for an Idempotency-Key, whose kept answer does not show it', async () => {
    const once = { 'idempotency-key': 'make-a-key' }
    const body = { node_id: newNode(), name: 'A node' }
    const [first, again] = [await ask('POST', '', body, once), await ask('POST', '', body, once)]
    expect([again.status, again.headers.get('idempotent-replay')]).toEqual([201, 'true'])
    expect(again.body).toEqual(first.body)
    const [kept] = await rows<{ answer: Uint8Array }>(
      sql`SELECT answer FROM idempotency_key WHERE endpoint = 'POST /api/v1/keys'`,
    )
    expect(kept?.answer.length).toBeGreaterThan(100)
    const text = Buffer.from(kept?.answer ?? []).toString('latin1')
    for (const part of ['gbk_', first.body.secret.slice(21), first.body.key.key_id])
      expect(text).not.toContain(part)
  })
})

describe('two valid keys of a node', () => {
  test('are the most, and a place is free again once one was revoked or has ended', async () => {
    const node = newNode()
    const [first, second] = [await make(node), await make(node)]
    const third = await ask('POST', '', { node_id: node, name: 'x' })
    expect([third.status, third.body.error.code]).toEqual([422, 'LIMIT_EXCEEDED'])
    await make(newNode())
    await revoke(first.key.key_id)
    await make(node)
    await ended(second.key.key_id)
    await make(node)
    expect(await eventsOf(second.key.key_id)).toEqual(['key.created', 'key.expired'])
    expect(await ofNode(node, 'active')).toHaveLength(MAX_VALID_KEYS)
  })

  test('are the most however many are made at once, and both are made', async () => {
    for (let round = 0; round < 10; round++) {
      const input = { kind: 'node', node_id: newNode(), name: 'x', expires_in_days: null } as const
      const made = await Promise.all(
        Array.from({ length: 6 }, () => createKey(gateway.services, input, OWNER)),
      )
      expect(made.filter(({ ok }) => ok)).toHaveLength(MAX_VALID_KEYS)
      expect(await ofNode(input.node_id, 'active')).toHaveLength(MAX_VALID_KEYS)
    }
  })

  test('are the most, whoever writes to the table', async () => {
    const node = newNode()
    await make(node)
    await make(node)
    const slots = await rows<{ slot: number }>(
      sql`SELECT slot FROM machine_key WHERE node_id = ${node} ORDER BY slot`,
    )
    expect(slots.map(({ slot }) => slot)).toEqual([1, 2])
    for (const slot of [1, 2, 3]) {
      const forced = gateway.services.db.query(sql`INSERT INTO machine_key
          (key_id, status, kind, node_id, name, scopes, hash, slot, created_by)
        VALUES (${`${slot}`.repeat(16)}, 'active', 'node', ${node}, 'x', '{}', ${'0'.repeat(64)}, ${slot}, 'x')`)
      await expect(forced).rejects.toThrow(/machine_key_(place|slot_check)/)
    }
  })
})

describe('rotating', () => {
  test('makes a successor beside, and the old key ends at the time that was set', async () => {
    const { key: old } = await make(newNode(), { name: 'Attic' })
    const rotated = await ask('POST', `/${old.key_id}/rotate`, { previous_ends_in_hours: 2 })
    expect(rotated.status).toBe(201)
    const { key: next, secret } = rotated.body
    expect(secret).toContain(`gbk_${next.key_id}_`)
    expect(next).toMatchObject({ node_id: old.node_id, name: 'Attic', kind: 'node', status: 'active' })
    const [, before] = await ofNode(old.node_id)
    expect(before).toMatchObject({ key_id: old.key_id, status: 'active' })
    const hours = (Date.parse(before?.expires_at ?? '') - Date.now()) / 3_600_000
    expect(Math.round(hours)).toBe(2)
    expect(await eventsOf(old.key_id)).toEqual(['key.created', 'key.rotated'])
  })

  test('never makes the old key valid for longer, and leaves it alone where no time is set', async () => {
    const ends = async (expires_in_days: number | null, previous_ends_in_hours: number | null) => {
      const { key } = await make(newNode(), { expires_in_days })
      await ask('POST', `/${key.key_id}/rotate`, { previous_ends_in_hours })
      const after = (await ofNode(key.node_id)).find(({ key_id }) => key_id === key.key_id)
      return after?.expires_at === key.expires_at
    }
    expect(await ends(1, 720)).toBe(true)
    expect(await ends(null, null)).toBe(true)
    expect(await ends(90, null)).toBe(true)
    expect(await ends(null, 720)).toBe(false)
  })

  test('changes nothing where the node has two keys already', async () => {
    const node = newNode()
    const { key } = await make(node)
    await make(node)
    const before = await ofNode(node)
    const refused = await ask('POST', `/${key.key_id}/rotate`, {})
    expect([refused.status, refused.body.error.code]).toEqual([422, 'LIMIT_EXCEEDED'])
    expect(await ofNode(node)).toEqual(before)
    expect(await eventsOf(key.key_id)).toEqual(['key.created'])
  })

  test('gives one key one successor, however often it is asked at once', async () => {
    const { key } = await make(newNode())
    const input = { key_id: key.key_id, expires_in_days: null, previous_ends_in_hours: 1 }
    const all = await Promise.all(Array.from({ length: 4 }, () => rotateKey(gateway.services, input, OWNER)))
    expect(all.filter(({ ok }) => ok)).toHaveLength(1)
    expect(await ofNode(key.node_id)).toHaveLength(2)
  })
})

test('a rotation waits for a revocation that came first, and is refused', async () => {
  const { key } = await make(newNode())
  const input = { key_id: key.key_id, expires_in_days: null, previous_ends_in_hours: 1 }
  const rotating = await gateway.services.db.transaction(async (tx) => {
    await revokeKey({ db: tx }, key, OWNER)
    const rotation = rotateKey(gateway.services, input, OWNER)
    await somebodyWaits(gateway.services.db)
    return { rotation }
  })
  expect(await rotating.rotation).toMatchObject({ refusal: { code: 'INVALID_TRANSITION' } })
  expect(await ofNode(key.node_id)).toHaveLength(1)
})

describe('the end of a key', () => {
  test('is final: revoked once, never rotated again', async () => {
    const { key } = await make(newNode())
    const done = await revoke(key.key_id)
    expect([done.status, done.body.status, done.body.revoked_at !== null]).toEqual([200, 'revoked', true])
    for (const path of ['revoke', 'rotate']) {
      const again = await ask('POST', `/${key.key_id}/${path}`, {})
      expect([again.status, again.body.error.code]).toEqual([409, 'INVALID_TRANSITION'])
    }
    expect(await eventsOf(key.key_id)).toEqual(['key.created', 'key.revoked'])
    expect((await revoke('0'.repeat(16))).body.error.code).toBe('NOT_FOUND')
  })

  test('is seen by the clock at once, and written by the sweep', async () => {
    const { key } = await make(newNode())
    await ended(key.key_id)
    expect((await ofNode(key.node_id, 'expired')).map((k) => k.key_id)).toEqual([key.key_id])
    expect(await ofNode(key.node_id, 'active')).toEqual([])
    const rotated = await ask('POST', `/${key.key_id}/rotate`, {})
    expect([rotated.status, rotated.body.error.code]).toEqual([409, 'INVALID_TRANSITION'])
    expect(await eventsOf(key.key_id)).toEqual(['key.created'])
    await onLedger(gateway.ledger.workerUrl, (db) => sweepAccess({ db }))
    expect(await eventsOf(key.key_id)).toEqual(['key.created', 'key.expired'])
  })
})

test('the ledger knows the same kinds as the domain', async () => {
  const [check] = await rows<{ text: string }>(
    sql`SELECT pg_get_constraintdef(oid) AS text FROM pg_constraint WHERE conname = 'machine_key_kind_check'`,
  )
  expect([...(check?.text.matchAll(/'(\w+)'/g) ?? [])].map(([, kind]) => kind)).toEqual(KEY_KIND_NAMES)
})
