/** Devices of accounts and what reaches them, over a real ledger and a real push service. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { subscribeRequest } from '#contracts/push.contract.ts'
import { MAX_ATTEMPTS } from '#domain/alert/delivery.rules.ts'
import { MAX_DEVICES } from '#domain/push/push.rules.ts'
import { endSession, endSessionsOf, sessionName, signOut } from '#server/auth/end-session.ts'
import { disableOperator } from '#server/auth/manage-accounts.ts'
import { removeDevice } from '#server/push-devices/manage-devices.ts'
import { announceKey } from '#server/push-devices/push-key.ts'
import { getPushSettings } from './get-push-settings.query.ts'
import { requestTest } from './request-messages.ts'
import { saveChoices } from './save-choices.ts'
import { openPushSender } from './send-push.ts'
import { type PushKit, pushKit } from './testing/push-kit.ts'
import { newBrowser, vapidClaims } from './testing/push-service.ts'

let kit: PushKit
beforeAll(async () => {
  kit = await pushKit()
})
afterAll(() => kit?.close())
beforeEach(async () => {
  Object.assign(kit.service.state, { answer: 201, headers: {} })
  kit.service.got.length = 0
  await kit.past(sql`DELETE FROM push_message`, sql`DELETE FROM push_subscription`)
})

const devicesOf = async (caller: Awaited<ReturnType<PushKit['account']>>) =>
  (await getPushSettings({ db: kit.web }, caller)).devices
/** What the audit says of a device: name, actor, reason. */
const audited = async ({ subscription_id }: { subscription_id: string }) => {
  const { rows } = await kit.web.query<{ name: string; actor: string; details: Record<string, string> }>(
    sql`SELECT name, actor, details FROM event WHERE resource_type = 'device' AND resource_id = ${subscription_id} ORDER BY id`,
  )
  expect(JSON.stringify(rows)).not.toMatch(/\/push\/|p256dh/)
  return rows.map(({ name, actor, details }) =>
    [name, actor.replace(/\d+$/, ''), details.because].filter(Boolean).join(' '),
  )
}
const codeOf = (answer: { ok: boolean; refusal?: { code: string } }) =>
  answer.ok ? 'ok' : answer.refusal?.code

it('sends a test that its browser alone can read, signed, without an act', async () => {
  const one = await kit.account()
  const device = await kit.device(one, { language: 'uk' })
  expect(codeOf(await requestTest({ db: kit.web }, device, one))).toBe('ok')
  expect(await kit.deliver()).toBe(1)
  const [got] = kit.service.got
  if (!got) throw new Error('nothing came')
  const payload = device.read(got.body)
  expect(payload).toEqual({
    title: 'Тестове сповіщення',
    body: 'Garden Bloom досягає цього пристрою.',
    ...{ url: '/settings', tag: 'test', lang: 'uk' },
  })
  expect(payload).not.toHaveProperty('actions')
  const claims = vapidClaims(got.headers.authorization ?? '', kit.sender.publicKey)
  expect(claims).toMatchObject({ aud: kit.service.origin, sub: 'mailto:garden-bloom@localhost' })
  expect(got.headers).toMatchObject({ ttl: '43200', 'content-encoding': 'aes128gcm', topic: 'test' })
  expect(await kit.messages()).toMatchObject([{ status: 'delivered', attempts: 1 }])
  expect(await devicesOf(one)).toMatchObject([{ last_sent_at: expect.any(String), last_error: null }])
  expect(() => newBrowser().read(got.body)).toThrow()
})

it('never shows an endpoint', async () => {
  const one = await kit.account()
  const { subscription_id } = await kit.device(one)
  const [device] = await devicesOf(one)
  expect(device).toMatchObject({ device: 'Chrome', service: new URL(kit.service.origin).host })
  expect(JSON.stringify(device)).not.toContain('/push/')
  const { rows } = await kit.web.query<{ details: object }>(
    sql`SELECT details FROM event WHERE resource_id = ${subscription_id}`,
  )
  const said = { account_id: one.accountId, device: 'Chrome', service: device?.service }
  expect(rows).toEqual([{ details: said }])
})

it('removes a device that its push service no longer knows', async () => {
  const one = await kit.account()
  const device = await kit.device(one)
  kit.service.state.answer = 410
  await requestTest({ db: kit.web }, device, one)
  await kit.deliver()
  expect(await kit.messages()).toMatchObject([{ status: 'failed', attempts: 1 }])
  expect(await devicesOf(one)).toEqual([])
  expect(await audited(device)).toEqual(['device.added one', 'device.removed scheduler gone'])
})

it('repeats what failed for the moment, with pauses, and then gives up', async () => {
  const one = await kit.account()
  const device = await kit.device(one)
  Object.assign(kit.service.state, { answer: 503, headers: { 'retry-after': '7' } })
  await requestTest({ db: kit.web }, device, one)
  await kit.deliver()
  expect(await kit.deliver()).toBe(0)
  kit.pass(6_000)
  expect(await kit.deliver()).toBe(0)
  expect(await devicesOf(one)).toMatchObject([{ last_error: 'The receiver answered 503.' }])
  for (let n = 1; n < MAX_ATTEMPTS; n++) {
    kit.pass(3_600_000)
    expect(await kit.deliver()).toBe(1)
  }
  expect(await kit.messages()).toMatchObject([{ status: 'failed', attempts: MAX_ATTEMPTS }])
  expect(kit.service.got).toHaveLength(MAX_ATTEMPTS)
})

it('follows no redirect, and connects to no private address that a name leads to', async () => {
  const one = await kit.account()
  const device = await kit.device(one)
  Object.assign(kit.service.state, { answer: 307, headers: { location: `${kit.service.origin}/other` } })
  await requestTest({ db: kit.web }, device, one)
  await kit.deliver()
  expect(kit.service.got).toHaveLength(1)
  expect(await kit.messages()).toMatchObject([
    { status: 'failed', last_error: 'The push service answered 307.' },
  ])
  const sender = openPushSender(kit.env, Buffer.alloc(32, 1).toString('base64url'), {
    lookup: (_host, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
  })
  const row = {
    subscription_id: 'x',
    endpoint: 'https://push.example.org/a',
    language: 'en',
  } as const
  const text = { title: '', body: '', url: '/', tag: 'test', lang: 'en' } as const
  expect(await sender.send({ ...row, ...newBrowser().keys }, text, new Date())).toMatchObject({
    kind: 'refused',
  })
  await sender.close()
})

it('sends once, however many workers look', async () => {
  const one = await kit.account()
  const device = await kit.device(one)
  await requestTest({ db: kit.web }, device, one)
  await Promise.all([kit.deliver(), kit.deliver(), kit.deliver()])
  expect(kit.service.got).toHaveLength(1)
})

it('drops what waits for a device that is gone, and for an account that is disabled', async () => {
  const [one, two] = [await kit.account(), await kit.account()]
  const [gone, kept] = [await kit.device(one), await kit.device(two)]
  await requestTest({ db: kit.web }, gone, one)
  await requestTest({ db: kit.web }, kept, two)
  expect(codeOf(await removeDevice({ db: kit.web }, gone, two))).toBe('NOT_FOUND')
  expect(codeOf(await removeDevice({ db: kit.web }, gone, one))).toBe('ok')
  await kit.web.query(
    sql`UPDATE account SET disabled_at = clock_timestamp() WHERE account_id = ${two.accountId}`,
  )
  await kit.deliver()
  expect(kit.service.got).toEqual([])
  expect(await kit.messages()).toMatchObject([{ status: 'dropped' }, { status: 'dropped' }])
})

it('keeps one row for a browser, and at most its bound for an account', async () => {
  const [one, two] = [await kit.account(), await kit.account()]
  const device = await kit.device(one, { endpoint: `${kit.service.origin}/same` })
  const again = { endpoint: `${kit.service.origin}/same`, device: 'Renamed' }
  const stolen = await kit.ask(two, again)
  expect(codeOf(stolen)).not.toBe('ok')
  const browser = { keys: device.keys, read: device.read }
  expect(await kit.ask(one, again, browser)).toMatchObject({
    value: { subscription_id: device.subscription_id, device: 'Renamed' },
  })
  const many = await Promise.all(Array.from({ length: MAX_DEVICES + 4 }, () => kit.ask(one)))
  expect(many.filter(({ ok }) => ok)).toHaveLength(MAX_DEVICES - 1)
  expect(new Set(many.map(codeOf))).toEqual(new Set(['ok', 'LIMIT_EXCEEDED']))
  expect(await kit.ask(one, again, browser)).toMatchObject({ ok: true })
  expect(await audited(device)).toEqual(['device.added one'])
  expect(await kit.ask(two, again, browser)).toMatchObject({ ok: true })
  expect(await devicesOf(one)).toHaveLength(MAX_DEVICES - 1)
  expect(await audited(device)).toEqual([
    ...['device.added one', 'device.removed one other_account', 'device.added one'],
  ])
})

it('removes the devices of a session that is signed out, not of one that ran out', async () => {
  const [one, two] = [await kit.account(), await kit.account()]
  const [left] = await Promise.all([kit.device(one), kit.device(two)])
  await kit.web.query(sql`UPDATE session SET expires_at = clock_timestamp() WHERE sid = ${two.sessionId}`)
  await signOut({ db: kit.web }, one)
  expect([await devicesOf(one), await devicesOf(two)].map((all) => all.length)).toEqual([0, 1])
  await endSession({ db: kit.web }, { session: sessionName(two.sessionId ?? '') }, two)
  expect(await devicesOf(two)).toEqual([])
  expect(await audited(left)).toEqual(['device.added one', 'device.removed one signed_out'])
})

it('removes all devices of an account that ends, and all others when its password changes', async () => {
  const [one, two] = [await kit.account(), await kit.account()]
  const [, , disabled] = await Promise.all([
    kit.device(one),
    kit.device({ ...one, sessionId: 'older' }),
    kit.device(two),
  ])
  await kit.web.transaction((tx) =>
    endSessionsOf(tx, { accountId: one.accountId ?? '', exceptSid: one.sessionId, actor: one }),
  )
  expect(await devicesOf(one)).toHaveLength(1)
  const owner = { role: 'owner', identity: 'owner', via: 'console' } as const
  await disableOperator({ db: kit.web }, { account_id: two.accountId ?? '' }, owner)
  expect(await devicesOf(two)).toEqual([])
  expect(codeOf(await kit.ask(two))).toBe('FORBIDDEN')
  expect(await audited(disabled)).toEqual(['device.added one', 'device.removed owner account_changed'])
})

it.each([
  'nonsense',
  'http://push.example.org/a',
  'https://user:secret@push.example.org/a',
  'https://push.example.org:8443/a',
  'https://10.0.0.1/a',
  'https://[::1]/a',
  'https://[::ffff:127.0.0.1]/a',
  'https://localhost/a',
  'https://push.internal/a',
  'ftp://push.example.org/a',
])('refuses the endpoint %s', async (endpoint) => {
  expect(await kit.ask(await kit.account(), { endpoint })).toMatchObject({
    refusal: { code: 'VALIDATION_FAILED', details: [{ field: 'endpoint' }] },
  })
})

it('refuses keys that no browser has, and another key of ours', async () => {
  const one = await kit.account()
  const { keys } = newBrowser()
  const base = { endpoint: 'https://push.example.org/a', server_key: 'k', device: 'x', language: 'en' }
  expect(subscribeRequest.safeParse({ ...base, keys }).success).toBe(true)
  for (const wrong of [
    { ...keys, auth: keys.p256dh },
    { ...keys, p256dh: keys.auth },
    { ...keys, auth: '!' },
  ])
    expect(subscribeRequest.safeParse({ ...base, keys: wrong }).success).toBe(false)
  const off = Buffer.alloc(65, 4).toString('base64url')
  expect(await kit.ask(one, {}, { ...newBrowser(), keys: { ...keys, p256dh: off } })).toMatchObject({
    refusal: { details: [{ field: 'keys.p256dh' }] },
  })
  expect(codeOf(await kit.ask(one, { server_key: 'another' }))).toBe('STALE_REVIEW')
})

it('forgets devices that subscribed under a key that is not ours', async () => {
  const one = await kit.account()
  const device = await kit.device(one)
  await announceKey(kit.worker, kit.sender.publicKey)
  expect(await devicesOf(one)).toHaveLength(1)
  await announceKey(kit.worker, 'another')
  expect(await devicesOf(one)).toEqual([])
  expect(await audited(device)).toEqual(['device.added one', 'device.removed scheduler other_key'])
  await announceKey(kit.worker, kit.sender.publicKey)
})

it('keeps what an account chose, and only what its role can be notified of', async () => {
  const one = await kit.account()
  const before = await getPushSettings({ db: kit.web }, one)
  expect(before.choices).toMatchObject({ digest: true, digest_at: 480 })
  expect(before.topics).toEqual(['failed', 'digest'])
  const wanted = {
    topics: ['high_risk' as const, 'digest' as const],
    digest: false,
    digest_at: 1_439,
    time_zone: 'Europe/Kyiv',
  }
  expect(await saveChoices({ db: kit.web }, wanted, one)).toMatchObject({ value: { topics: ['digest'] } })
  await saveChoices({ db: kit.web }, wanted, one)
  expect((await getPushSettings({ db: kit.web }, one)).choices).toEqual({ ...wanted, topics: ['digest'] })
})
