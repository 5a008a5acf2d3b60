import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestGateway, testGateway } from '#server/http/testing/gateway.ts'
import { createSignInLink } from './create-sign-in-link.ts'
import { ensureOwner } from './ensure-owner.ts'
import { createOperator, disableOperator } from './manage-accounts.ts'
import { hashPassword, verifyPassword } from './password.ts'
import { signInWithLink, signInWithPassword } from './sign-in.ts'

const OWNER = { role: 'owner', identity: 'owner', via: 'console', accountId: 'owner' } as const
const PASSWORD = 'a long enough phrase 42'
const client = (address: string) => ({ address, via: 'api' as const })

let gateway: TestGateway
beforeAll(async () => {
  gateway = await testGateway({ env: { BLOOM_OWNER_PASSWORD: PASSWORD } })
})
afterAll(() => gateway.close())

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  gateway.app.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
const signIn = (name: string, password: string, peer: string) =>
  post('/api/v1/auth/token', { name, password }, { 'x-garden-peer': peer })
const me = async (token: string) =>
  (await gateway.app.request('/api/v1/auth/me', { headers: { authorization: `Bearer ${token}` } })).json()
const events = async (name: string) =>
  (await gateway.services.db.query(sql`SELECT * FROM event WHERE name = ${name} ORDER BY id`)).rows

describe('signing in', () => {
  test('gives a token that names a session of the ledger and nothing secret', async () => {
    const answer = await signIn('owner', PASSWORD, '10.0.0.1')
    expect(answer.status).toBe(200)
    const { access_token } = await answer.json()
    expect(await me(access_token)).toMatchObject({ role: 'owner', identity: 'owner', stepped_up: true })
    expect(await events('auth.login')).toHaveLength(1)
  })

  test('answers an unknown name and a wrong password alike', async () => {
    const [unknown, wrong] = await Promise.all([
      signIn('nobody', PASSWORD, '10.0.0.2'),
      signIn('owner', 'not the password', '10.0.0.3'),
    ])
    const [a, b] = [await unknown.json(), await wrong.json()]
    expect([unknown.status, wrong.status]).toEqual([401, 401])
    expect(a.error).toEqual(b.error)
    const [event] = await events('auth.failed')
    expect(JSON.stringify(event)).not.toContain('10.0.0')
  })

  test('bounds parallel guesses per address at five, and the right password waits with them', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => signIn(`guess${i}`, 'x', '10.0.0.4')),
    )
    expect(answers.filter((a) => a.status === 401)).toHaveLength(5)
    const limited = answers.filter((a) => a.status === 429)
    expect(limited).toHaveLength(7)
    expect(Number(limited[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await signIn('owner', PASSWORD, '10.0.0.4')).status).toBe(429)
  })

  test('bounds guesses per account from any address, and leaves open sessions alone', async () => {
    const open = await (await signIn('owner', PASSWORD, '10.0.1.1')).json()
    const answers: number[] = []
    for (let i = 0; i < 7; i++) answers.push((await signIn('owner', 'wrong', `10.0.2.${i}`)).status)
    expect(answers).toEqual([401, 401, 401, 401, 401, 429, 429])
    expect((await signIn('owner', PASSWORD, '10.0.3.1')).status).toBe(429)
    expect(await me(open.access_token)).toMatchObject({ role: 'owner' })
    await gateway.services.db.query(
      sql`UPDATE rate_slice SET slice = slice - interval '15 minutes 15 seconds'`,
    )
    expect((await signIn('owner', PASSWORD, '10.0.3.1')).status).toBe(200)
  })

  test('believes X-Forwarded-For only from a configured proxy', async () => {
    for (let i = 0; i < 5; i++)
      await post(
        '/api/v1/auth/token',
        { name: `n${i}`, password: 'x' },
        { 'x-garden-peer': '10.0.4.1', 'x-forwarded-for': `1.1.1.${i}` },
      )
    const next = await post(
      '/api/v1/auth/token',
      { name: 'n9', password: 'x' },
      { 'x-garden-peer': '10.0.4.1', 'x-forwarded-for': '1.1.1.9' },
    )
    expect(next.status).toBe(429)
  })
})

describe('the one-time link', () => {
  test('is not made again once an owner has signed in, but with force', async () => {
    expect(await createSignInLink(gateway.services)).toBeNull()
    const link = await createSignInLink(gateway.services, { force: true })
    expect(link).toMatch(/^http:\/\/localhost:3000\/sign-in#t=[A-Za-z0-9_-]{43}$/)
  })

  test('opens exactly one session, and an earlier one is dead', async () => {
    const [old, link] = [
      await createSignInLink(gateway.services, { force: true }),
      await createSignInLink(gateway.services, { force: true }),
    ]
    const token = (text: string | null) => String(text).split('#t=')[1] as string
    expect((await signInWithLink(gateway.services, token(old), client('10.1.0.1'))).ok).toBe(false)
    const both = await Promise.all(
      [1, 2, 3].map((i) => signInWithLink(gateway.services, token(link), client(`10.1.1.${i}`))),
    )
    expect(both.filter((result) => result.ok)).toHaveLength(1)
  })

  test('is over after its day', async () => {
    const link = await createSignInLink(gateway.services, { force: true })
    await gateway.services.db.query(sql`UPDATE sign_in_link SET expires_at = clock_timestamp()`)
    expect(
      (await signInWithLink(gateway.services, String(link).split('#t=')[1] as string, client('10.1.2.1'))).ok,
    ).toBe(false)
  })
})

describe('accounts', () => {
  test('an operator signs in by name until disabled, which ends its sessions', async () => {
    const made = await createOperator(
      gateway.services,
      { name: 'olena', password: 'rain over the garden' },
      OWNER,
    )
    expect(made.ok).toBe(true)
    const session = await signInWithPassword(
      gateway.services,
      { name: 'Olena', password: 'rain over the garden' },
      client('10.2.0.1'),
    )
    expect(session).toMatchObject({ ok: true, value: { role: 'operator', identity: 'operator:olena' } })
    if (!made.ok || !session.ok) throw new Error('no session')
    const headers = await gateway.bearer(session.value)
    await disableOperator(gateway.services, made.value, OWNER)
    expect((await gateway.app.request('/api/v1/system/counts', { headers })).status).toBe(401)
    expect(
      (
        await signInWithPassword(
          gateway.services,
          { name: 'olena', password: 'rain over the garden' },
          client('10.2.0.2'),
        )
      ).ok,
    ).toBe(false)
  })

  test('a name is given once and a weak password never', async () => {
    const again = await createOperator(
      gateway.services,
      { name: 'olena', password: 'another good phrase' },
      OWNER,
    )
    const weak = await createOperator(gateway.services, { name: 'ivan', password: 'qwertyuiop12' }, OWNER)
    expect([again, weak].map((r) => !r.ok && r.refusal.code)).toEqual([
      'VALIDATION_FAILED',
      'VALIDATION_FAILED',
    ])
  })

  test('BLOOM_OWNER_PASSWORD counts while the owner has none; a password set later survives every start', async () => {
    const headers = await gateway.bearer(await gateway.open({}))
    expect(await ensureOwner(gateway.services)).toBe(false)
    const changed = 'quite another phrase'
    const set = sql`UPDATE account SET password_hash = ${await hashPassword(changed)} WHERE account_id = 'owner'`
    await gateway.services.db.query(set)
    expect(await ensureOwner(gateway.services)).toBe(true)
    const { rows } = await gateway.services.db.query<{ password_hash: string }>(
      sql`SELECT password_hash FROM account WHERE account_id = 'owner'`,
    )
    expect(await verifyPassword(changed, rows[0]?.password_hash ?? null)).toBe(true)
    expect((await gateway.app.request('/api/v1/zones', { headers })).status).toBe(200)
  })

  test('BLOOM_OWNER_PASSWORD given to an owner who came by link is taken once, by one of several processes', async () => {
    const { services } = gateway
    await services.db.query(sql`UPDATE account SET password_hash = NULL WHERE account_id = 'owner'`)
    const counted = sql`SELECT count(*) AS n FROM event WHERE name = 'config.changed' AND details ->> 'from' = 'environment'`
    const before = (await services.db.query<{ n: number }>(counted)).rows[0]?.n ?? 0
    await Promise.all([ensureOwner(services), ensureOwner(services)])
    expect((await services.db.query<{ n: number }>(counted)).rows[0]?.n).toBe(before + 1)
    expect(await ensureOwner(services)).toBe(false)
  })
})
