import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestGateway, testGateway } from '#server/http/testing/gateway.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import { sweepAccess } from './sweep-access.ts'
import { zoneScopeOf } from './zone-scope.ts'

let gateway: TestGateway
let owner: Record<string, string>
beforeAll(async () => {
  gateway = await testGateway()
  owner = await gateway.page(await gateway.open({}))
})
afterAll(() => gateway.close())

const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
  const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
  const answer = await gateway.app.request(path, init)
  const text = await answer.text()
  return { status: answer.status, body: text ? JSON.parse(text) : null, headers: answer.headers }
}
let peers = 0
/** A page of the console that nobody is signed in to, from an address of its own. */
const stranger = (peer = `10.9.${++peers}.1`): Record<string, string> => ({
  origin: owner.origin as string,
  host: owner.host as string,
  'sec-fetch-site': 'same-origin',
  'x-garden': '1',
  'content-type': 'application/json',
  'x-garden-peer': peer,
})
const makeZone = async (more: Record<string, unknown> = {}) => {
  const made = await ask(
    'POST',
    '/api/v1/zones',
    { name: 'Readers', folders: ['architecture'], ...more },
    owner,
  )
  expect(made.status).toBe(201)
  return made.body as {
    zone: { zone_id: string; expires_at: string }
    code: string
    link: string
    qr: string
  }
}
const enter = (body: unknown, headers = stranger()) => ask('POST', '/api/v1/zones/enter', body, headers)
const cookieOf = (headers: Headers) => (headers.get('set-cookie') ?? '').split(';')[0] as string
const events = async (name: string, id: string) =>
  (await gateway.services.db.query(sql`SELECT * FROM event WHERE name = ${name} AND resource_id = ${id}`))
    .rows

/** Enters with consent and gives the guest's headers. */
async function guestOf(zone: { code: string }): Promise<Record<string, string>> {
  const entered = await enter({ code: zone.code, consent_version: 1 })
  expect(entered.status).toBe(200)
  return { ...stranger(), cookie: cookieOf(entered.headers) }
}

describe('making a zone', () => {
  test('shows code, link and QR once and keeps only keyed hashes', async () => {
    const made = await makeZone()
    expect(made.code).toMatch(/^ZONE-[0-9A-Z]{4}-[0-9A-Z]{4}$/)
    expect(made.link).toMatch(new RegExp(`/zone/${made.zone.zone_id}#t=[A-Za-z0-9_-]{43}$`))
    expect(made.qr).toMatch(/^data:image\/svg\+xml;base64,/)
    const { rows } = await gateway.services.db.query(sql`SELECT z::text AS row FROM zone z`)
    const kept = JSON.stringify([rows, await events('zone.created', made.zone.zone_id)])
    for (const secret of [made.code, made.code.slice(5), made.link.split('#t=')[1] as string])
      expect(kept).not.toContain(secret)
    const read = await ask('GET', `/api/v1/zones/${made.zone.zone_id}`, undefined, owner)
    expect(Object.keys(read.body)).not.toContain('code')
  })

  test('of as many folders as there may be is recorded, however long their names', async () => {
    const folders = Array.from({ length: 50 }, (_, n) => `${'тека'.repeat(20)}/${'тека'.repeat(25)}${n}`)
    const { zone } = await makeZone({ folders, minutes: 60 })
    expect(await events('zone.created', zone.zone_id)).toMatchObject([
      { details: { minutes: 60, folders: { count: 50, sha256: expect.any(String) } } },
    ])
    expect(await ask('GET', `/api/v1/zones/${zone.zone_id}`, undefined, owner)).toMatchObject({
      body: { folders },
    })
  })

  test.each([
    ['nothing to show', { folders: [], tags: [] }],
    ['a folder above the garden', { folders: ['../x'] }],
    ['a folder of the machinery', { folders: ['agents/x'] }],
    ['less than five minutes', { folders: ['a'], minutes: 4 }],
    ['more than seven days', { folders: ['a'], minutes: 10_081 }],
    ['a field of its own', { folders: ['a'], expires_at: '2099-01-01' }],
  ])('refuses %s', async (_what, zone) => {
    const made = await ask('POST', '/api/v1/zones', { name: 'x', ...zone }, owner)
    expect([made.status, made.body.error.code]).toEqual([422, 'VALIDATION_FAILED'])
  })
})

describe('entering', () => {
  test('asks for consent first, then lets in, by code or by link', async () => {
    const made = await makeZone()
    const first = await enter({ code: made.code.toLowerCase() })
    expect([first.status, first.body.error.code]).toEqual([403, 'CONSENT_REQUIRED'])
    expect(first.body.error.details).toMatchObject({ zone_id: made.zone.zone_id, policy_version: 1 })
    expect(first.headers.get('set-cookie')).toBeNull()
    const token = made.link.split('#t=')[1]
    const entered = await enter({ zone_id: made.zone.zone_id, token, consent_version: 1 })
    expect(entered.status).toBe(200)
    expect(entered.headers.get('set-cookie')).toMatch(
      /^garden_session=[^;]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/,
    )
    for (const name of ['zone.entered', 'zone.consented'])
      expect(await events(name, made.zone.zone_id)).toHaveLength(1)
  })

  test('answers an unknown code, a malformed one and a foreign token alike', async () => {
    const [made, other] = [await makeZone(), await makeZone()]
    const answers = await Promise.all([
      enter({ code: 'ZONE-0000-0000' }),
      enter({ code: 'hello' }),
      enter({ zone_id: made.zone.zone_id, token: other.link.split('#t=')[1] }),
      enter({ zone_id: made.zone.zone_id, code: other.code }),
    ])
    expect(answers.map((a) => [a.status, a.body.error])).toEqual(Array(4).fill([403, answers[0]?.body.error]))
  })

  test('refuses a page that is not ours', async () => {
    const made = await makeZone()
    const body = { code: made.code, consent_version: 1 }
    const evil = { ...stranger(), origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const { origin: _origin, ...without } = stranger()
    expect((await enter(body, evil)).status).toBe(403)
    expect((await enter(body, without)).status).toBe(403)
    expect((await enter(body, { ...stranger(), origin: 'null' })).status).toBe(403)
  })

  test('an address has five wrong attempts, then waits with the right code too', async () => {
    const made = await makeZone()
    const peer = stranger()
    for (let i = 0; i < 5; i++) expect((await enter({ code: 'ZONE-0000-0000' }, peer)).status).toBe(403)
    const limited = await enter({ code: made.code, consent_version: 1 }, peer)
    expect([limited.status, limited.body.error.code]).toEqual([429, 'RATE_LIMITED'])
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await enter({ code: made.code, consent_version: 1 })).status).toBe(200)
  })

  test('a right code costs no try', async () => {
    const made = await makeZone()
    const peer = stranger()
    for (let i = 0; i < 8; i++)
      expect((await enter({ code: made.code }, peer)).body.error.code).toBe('CONSENT_REQUIRED')
  })

  test('twenty wrong attempts lock the zone for an hour, and an event records it', async () => {
    const made = await makeZone()
    const id = made.zone.zone_id
    const guess = () => enter({ zone_id: id, token: 'wrong-wrong-wrong' })
    for (let i = 0; i < 19; i++) expect((await guess()).status).toBe(403)
    expect((await enter({ code: made.code })).body.error.code).toBe('CONSENT_REQUIRED')
    await guess()
    const resting = await enter({ code: made.code, consent_version: 1 })
    expect(resting.status).toBe(429)
    expect(Number(resting.headers.get('retry-after'))).toBeGreaterThan(3_000)
    expect(await events('zone.rested', id)).toHaveLength(1)
    await gateway.services.db.query(
      sql`UPDATE zone SET locked_until = clock_timestamp() WHERE zone_id = ${id}`,
    )
    expect((await enter({ code: made.code, consent_version: 1 })).status).toBe(200)
  })

  test('a program enters by its code and gets a bearer token', async () => {
    const made = await makeZone()
    const headers = { 'content-type': 'application/json', 'x-garden-peer': '10.8.0.1' }
    const token = await ask(
      'POST',
      '/api/v1/auth/token',
      { zone_code: made.code, consent_version: 1 },
      headers,
    )
    expect(token.body).toMatchObject({ role: 'guest', expires_at: expect.any(String) })
    const who = await ask('GET', '/api/v1/auth/me', undefined, {
      authorization: `Bearer ${token.body.access_token}`,
    })
    expect(who.body).toMatchObject({ role: 'guest', zone: { zone_id: made.zone.zone_id } })
  })
})

describe('a guest inside', () => {
  test('reads nothing but its zone and changes nothing', async () => {
    const guest = await guestOf(await makeZone())
    for (const path of ['/api/v1/zones', '/api/v1/audit', '/api/v1/system/health', '/metrics'])
      expect((await ask('GET', path, undefined, guest)).status).toBe(404)
    expect((await ask('POST', '/api/v1/zones', { name: 'x', folders: ['a'] }, guest)).status).toBe(403)
  })

  test('is out with the next request when the zone is revoked, and the code is dead', async () => {
    const made = await makeZone()
    const guest = await guestOf(made)
    const read = () => ask('GET', '/api/v1/artifacts', undefined, guest)
    expect((await read()).status).toBe(200)
    const revoked = await ask('POST', `/api/v1/zones/${made.zone.zone_id}/revoke`, {}, owner)
    expect(revoked.body).toMatchObject({ status: 'revoked', guests: 0 })
    const out = await read()
    expect([out.status, out.body.error.code]).toEqual([410, 'ZONE_REVOKED'])
    // Nor where nothing is read by the bounds of the zone.
    const stream = await ask('GET', '/api/v1/events/stream', undefined, guest)
    expect([stream.status, stream.body.error.code]).toEqual([410, 'ZONE_REVOKED'])
    expect((await enter({ code: made.code, consent_version: 1 })).body.error.code).toBe('ZONE_REVOKED')
    const again = await ask('POST', `/api/v1/zones/${made.zone.zone_id}/revoke`, {}, owner)
    expect([again.status, again.body.error.code]).toEqual([409, 'INVALID_TRANSITION'])
  })

  test('is out when the time is over, before and after the sweep', async () => {
    const made = await makeZone()
    const guest = await guestOf(made)
    await gateway.services.db.query(
      sql`UPDATE zone SET expires_at = clock_timestamp() WHERE zone_id = ${made.zone.zone_id}`,
    )
    const listed = async (status: string) =>
      (await ask('GET', `/api/v1/zones?limit=100&status=${status}`, undefined, owner)).body.items.find(
        (zone: { zone_id: string }) => zone.zone_id === made.zone.zone_id,
      )
    for (const _ of ['before', 'after']) {
      expect(await listed('expired')).toMatchObject({ status: 'expired' })
      expect(await listed('open')).toBeUndefined()
      expect((await ask('GET', '/api/v1/artifacts', undefined, guest)).body.error.code).toBe('ZONE_EXPIRED')
      expect((await enter({ code: made.code, consent_version: 1 })).body.error.code).toBe('ZONE_EXPIRED')
      await onLedger(gateway.ledger.workerUrl, (db) => sweepAccess({ db }))
    }
    expect(await events('zone.expired', made.zone.zone_id)).toHaveLength(1)
    const longer = await ask('PATCH', `/api/v1/zones/${made.zone.zone_id}`, { minutes: 60 }, owner)
    expect(longer.status).toBe(409)
  })

  test('a shorter zone shortens its sessions', async () => {
    const made = await makeZone()
    await guestOf(made)
    await ask('PATCH', `/api/v1/zones/${made.zone.zone_id}`, { minutes: 5 }, owner)
    const { rows } = await gateway.services.db.query<{ same: boolean }>(
      sql`SELECT bool_and(s.expires_at <= z.expires_at) AS same FROM session s JOIN zone z USING (zone_id) WHERE zone_id = ${made.zone.zone_id}`,
    )
    expect(rows[0]?.same).toBe(true)
  })

  test('is asked again when the terms change', async () => {
    const made = await makeZone()
    const guest = await guestOf(made)
    await ask('PATCH', `/api/v1/zones/${made.zone.zone_id}`, { consent_policy: 'New terms.' }, owner)
    const asked = await ask('GET', '/api/v1/artifacts', undefined, guest)
    expect([asked.status, asked.body.error.code]).toEqual([403, 'CONSENT_REQUIRED'])
    expect((await ask('GET', '/api/v1/zones/terms', undefined, guest)).body).toMatchObject({
      policy: 'New terms.',
      policy_version: 2,
    })
    expect((await ask('POST', '/api/v1/zones/consent', { consent_version: 1 }, guest)).status).toBe(403)
    expect((await ask('POST', '/api/v1/zones/consent', { consent_version: 2 }, guest)).status).toBe(200)
    expect((await ask('GET', '/api/v1/artifacts', undefined, guest)).status).toBe(200)
  })

  test('has the scope of its zone; the owner has no bounds', async () => {
    const made = await makeZone({ tags: ['#Public'] })
    const caller = {
      role: 'guest',
      identity: `zone:${made.zone.zone_id}`,
      via: 'console',
      zoneId: made.zone.zone_id,
    } as const
    expect(await zoneScopeOf(gateway.services, caller)).toEqual({
      folders: ['architecture'],
      tags: ['Public'],
    })
    expect(
      await zoneScopeOf(gateway.services, { role: 'owner', identity: 'owner', via: 'console' }),
    ).toBeNull()
    await ask('POST', `/api/v1/zones/${made.zone.zone_id}/revoke`, {}, owner)
    await expect(zoneScopeOf(gateway.services, caller)).rejects.toMatchObject({
      refusal: { code: 'ZONE_REVOKED' },
    })
  })
})

test('an entry and a revocation at once leave no open session', async () => {
  for (let round = 0; round < 10; round++) {
    const made = await makeZone()
    await Promise.all([
      enter({ code: made.code, consent_version: 1 }),
      ask('POST', `/api/v1/zones/${made.zone.zone_id}/revoke`, {}, owner),
      enter({ code: made.code, consent_version: 1 }),
    ])
    const { rows } = await gateway.services.db.query(
      sql`SELECT 1 FROM session WHERE zone_id = ${made.zone.zone_id} AND ended_at IS NULL`,
    )
    expect(rows).toEqual([])
  }
})

test('zones are listed by pages without a gap', async () => {
  const all: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const query: string = cursor ? `&cursor=${cursor}` : ''
    const page = await ask('GET', `/api/v1/zones?limit=7${query}`, undefined, owner)
    all.push(...page.body.items.map((zone: { zone_id: string }) => zone.zone_id))
    cursor = page.body.next_cursor
  }
  const { rows } = await gateway.services.db.query<{ zone_id: string }>(
    sql`SELECT zone_id FROM zone ORDER BY created_at DESC, zone_id DESC`,
  )
  expect(all).toEqual(rows.map((row) => row.zone_id))
})
