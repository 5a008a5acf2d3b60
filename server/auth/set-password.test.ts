import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COMMON_PASSWORDS } from '#domain/account/common-passwords.ts'
import { passwordFault } from '#domain/account/password.rules.ts'
import { type TestGateway, testGateway } from '#server/http/testing/gateway.ts'
import { hashPassword, verifyPassword } from './password.ts'

const FIRST = 'seven quiet gardens'
const SECOND = 'eight louder gardens'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await testGateway()
})
afterAll(() => gateway.close())

const post = async (path: string, body: unknown, headers: Record<string, string>) => {
  const answer = await gateway.app.request(path, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: answer.status, body: await answer.json() }
}
const me = async (headers: Record<string, string>) =>
  (await gateway.app.request('/api/v1/auth/me', { headers })).json()

describe('the own password', () => {
  test('is set first without another, then only with the current one; other sessions end', async () => {
    const [here, there] = [
      await gateway.page(await gateway.open({})),
      await gateway.page(await gateway.open({})),
    ]
    expect(await me(here)).toMatchObject({ has_password: false, stepped_up: false })
    const asked = await post('/api/v1/auth/step-up', { password: 'x' }, here)
    expect(asked.body.error).toMatchObject({ code: 'STEP_UP_REQUIRED', details: { set_password: true } })
    expect((await post('/api/v1/auth/password', { password: FIRST }, here)).body).toEqual({
      ended_sessions: 1,
    })
    expect(await me(here)).toMatchObject({ has_password: true, stepped_up: true })
    expect(await me(there)).toMatchObject({ role: 'anonymous', ended: 'TOKEN_EXPIRED' })
    expect((await post('/api/v1/auth/password', { password: SECOND }, here)).status).toBe(403)
    expect((await post('/api/v1/auth/password', { password: SECOND, current: FIRST }, here)).status).toBe(200)
  })

  test('is changed once by two who know it at the same moment', async () => {
    const session = await gateway.page(await gateway.open({}))
    const change = (password: string) =>
      post('/api/v1/auth/password', { password, current: SECOND }, session).then(({ status }) => status)
    const statuses = await Promise.all([change('nine gardens by the sea'), change('ten gardens on the hill')])
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect([403, 409]).toContain(statuses.find((status) => status !== 200))
    for (const current of ['nine gardens by the sea', 'ten gardens on the hill']) {
      await post('/api/v1/auth/password', { password: SECOND, current }, session)
    }
  })

  test('typed again steps up; five wrong ones have to wait, and the session stays open', async () => {
    const session = await gateway.page(await gateway.open({}))
    expect((await post('/api/v1/auth/step-up', { password: SECOND }, session)).body).toEqual({ seconds: 300 })
    const seen: number[] = []
    for (let i = 0; i < 6; i++)
      seen.push((await post('/api/v1/auth/step-up', { password: 'wrong' }, session)).status)
    expect(seen).toEqual([403, 403, 403, 403, 403, 429])
    expect(await me(session)).toMatchObject({ role: 'owner' })
  })

  test('a guest has none to set', async () => {
    const zone = { zoneId: 'aaaaaaaa', expiresAt: new Date(Date.now() + 3_600_000), consentVersion: 1 }
    await gateway.services.db.query(sql`INSERT INTO zone (zone_id, status, name, folders, consent_policy, code_hash, link_hash, created_by, expires_at)
      VALUES ('aaaaaaaa', 'open', 'Z', '{a}', 'terms', 'c', 'l', 'owner', clock_timestamp() + interval '1 hour')`)
    const guest = await gateway.page(await gateway.open({ role: 'guest', identity: 'zone:aaaaaaaa', zone }))
    expect((await post('/api/v1/auth/password', { password: FIRST }, guest)).status).toBe(403)
    expect((await post('/api/v1/auth/step-up', { password: FIRST }, guest)).status).toBe(403)
  })
})

describe('hashes', () => {
  test('verify their own password alone, and differ each time', async () => {
    const [one, two] = await Promise.all([hashPassword(FIRST), hashPassword(FIRST)])
    expect(one).not.toBe(two)
    expect(await verifyPassword(FIRST, one)).toBe(true)
    expect(await verifyPassword(SECOND, one)).toBe(false)
    expect(await verifyPassword(FIRST, null)).toBe(false)
  })
})

test('three thousand of the commonest passwords are known', () => {
  expect(COMMON_PASSWORDS.size).toBe(3_000)
})

test.each([
  ['eleven char', 'too_short'],
  ['x'.repeat(129), 'too_long'],
  ['QWERTYuiop123', 'too_common'],
  ['aaaaaaaaaaaaaa', 'too_common'],
  ['abcabcabcabcabc', 'too_common'],
  ['abcdefghijklmnop', 'too_common'],
  ['olena-olena-ole', 'too_common'],
  ['dragon123456', 'too_common'],
  ['P@ssw0rd2026!', 'too_common'],
  ['MonkeyMonkey', 'too_common'],
  ['football football', 'too_common'],
  ['!!shadow!!1234', 'too_common'],
  ['playstation4', 'too_common'],
  ['abcd12345678', 'too_common'],
  ['dragon-feeds-the-hens', null],
  ['k7#mQz91pLw2', null],
  ['Tr0ub4dor&3xyz', null],
  ['дванадцятьлітер', null],
  ['a long enough phrase', null],
] as const)('the password %s is %s', (password, fault) => {
  expect(passwordFault(password, 'olena')).toBe(fault)
})
