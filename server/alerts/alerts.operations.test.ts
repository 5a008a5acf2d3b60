/** Alerts over REST: lists, one alert, acknowledging, channels and their test. */
import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import {
  type AlertPage,
  alertChannels,
  alertDetail,
  alertPage,
  alertView,
} from '#contracts/alert.contract.ts'
import { SCHEDULER } from '#domain/authority/caller.ts'
import { alertId } from '#domain/kernel/ids.ts'
import { type TestGateway, testGateway } from '#server/http/testing/gateway.ts'
import { create } from '#server/ledger/create.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import { transition } from '#server/ledger/transition.ts'

const SECRET = 's'.repeat(40)
let gateway: TestGateway
let worker: Database
let owner: Record<string, string>
let operator: Record<string, string>

beforeAll(async () => {
  gateway = await testGateway({
    env: {
      ALERT_WEBHOOK_URL: 'https://hooks.example.org/services/very-secret-path',
      ALERT_WEBHOOK_SECRET: SECRET,
      SMTP_URL: 'smtps://mailer:swordfish@mail.example.org',
      ALERT_EMAIL_TO: 'ops@example.org',
    },
  })
  worker = openDatabase(gateway.ledger.workerUrl)
  owner = await gateway.bearer(await gateway.open({}))
  operator = await gateway.bearer(await gateway.open({ role: 'operator', identity: 'operator:bob' }))
})
beforeEach(() =>
  onLedger(gateway.ledger.adminUrl, (db) => db.query(sql`TRUNCATE alert, alert_delivery CASCADE`)),
)
afterAll(async () => {
  await worker?.close()
  await gateway?.close()
})

const call = async (method: string, path: string, headers: Record<string, string>, body?: unknown) => {
  const answer = await gateway.app.request(`/api/v1${path}`, {
    method,
    headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  return { status: answer.status, body: await answer.json() }
}
const get = (path: string) => call('GET', path, operator)

let minute = 0
async function open(resource: string, closed = false): Promise<string> {
  const id = alertId(randomUUID())
  const at = new Date(Date.UTC(2026, 2, 2, 9, minute++))
  await create(worker, {
    machine: 'alert',
    actor: SCHEDULER,
    values: {
      ...{ alert_id: id, rule: 'StorageDown', resource, severity: 'critical', condition: 'storage_down' },
      ...{ value: 31, opened_at: at, read_at: at },
    },
  })
  if (closed)
    await transition(worker, {
      machine: 'alert',
      event: 'close',
      actor: SCHEDULER,
      where: sql`o.alert_id = ${id}`,
      set: sql`closed_at = ${at}`,
    })
  return id
}

it('lists what stands and what is closed, newest first, page by page', async () => {
  const closed = [await open('a', true), await open('a', true), await open('a', true)]
  const standing = await open('a')
  const ids = (page: AlertPage) => page.items.map((alert) => alert.alert_id)
  const stands = alertPage.parse((await get('/alerts?show=standing')).body)
  expect(ids(stands)).toEqual([standing])
  expect(stands.items[0]).toMatchObject({
    unit: 'seconds',
    threshold: { comparison: '>=', value: 30 },
    status: 'open',
  })
  const first = alertPage.parse((await get('/alerts?show=closed&limit=2')).body)
  expect(ids(first)).toEqual([closed[2], closed[1]])
  const second = alertPage.parse((await get(`/alerts?show=closed&limit=2&cursor=${first.next_cursor}`)).body)
  expect([ids(second), second.next_cursor]).toEqual([[closed[0]], null])
  expect(ids(alertPage.parse((await get('/alerts')).body))).toHaveLength(4)
  expect((await get('/alerts?cursor=nonsense')).status).toBe(400)
})

it('is acknowledged once, by a person with a note, until it grows graver', async () => {
  const id = await open('object_store')
  const acknowledge = (note: string, headers = operator) =>
    call('POST', `/alerts/${id}/acknowledge`, headers, { note })
  expect((await acknowledge('ok')).status).toBe(422)
  const both = await Promise.all([acknowledge('I am on it'), acknowledge('So am I', owner)])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  const taken = alertView.parse(both.find(({ status }) => status === 200)?.body)
  expect(taken).toMatchObject({
    status: 'acknowledged',
    acknowledged_by: expect.stringMatching(/owner|operator:bob/),
  })
  const { rows } = await worker.query(
    sql`SELECT name, actor, reason FROM event WHERE resource_id = ${id} AND outcome = 'ok' ORDER BY id`,
  )
  expect(rows).toEqual([
    { name: 'incident.opened', actor: 'scheduler', reason: null },
    { name: 'incident.acknowledged', actor: taken.acknowledged_by, reason: taken.note },
  ])
  await transition(worker, {
    machine: 'alert',
    event: 'escalate',
    actor: SCHEDULER,
    where: sql`o.alert_id = ${id}`,
  })
  expect((await acknowledge('Again')).status).toBe(200)
  expect(
    (await call('POST', `/alerts/${alertId(randomUUID())}/acknowledge`, owner, { note: 'Nothing' })).status,
  ).toBe(404)
})

it('shows one alert with the messages about it, and 404 for none', async () => {
  const id = await open('object_store', true)
  expect(alertDetail.parse((await get(`/alerts/${id}`)).body)).toMatchObject({
    status: 'closed',
    deliveries: [],
  })
  expect((await get(`/alerts/${alertId(randomUUID())}`)).status).toBe(404)
  expect((await get('/alerts/what')).status).toBe(404)
})

it('tells the channels without their secrets, and asks for a test over each', async () => {
  expect((await call('POST', '/alert-channels/test', operator)).status).toBe(403)
  expect(await call('POST', '/alert-channels/test', owner)).toMatchObject({
    status: 202,
    body: { requested: 2 },
  })
  const { body } = await get('/alert-channels')
  const channels = alertChannels.parse(body)
  expect(channels).toMatchObject({
    webhook: { origin: 'https://hooks.example.org' },
    email: { server: 'mail.example.org', from: 'garden-bloom@localhost', to: ['ops@example.org'] },
  })
  expect(channels.deliveries.map((d) => [d.message, d.channel, d.status]).sort()).toEqual([
    ['test', 'email', 'pending'],
    ['test', 'webhook', 'pending'],
  ])
  for (const secret of ['swordfish', 'mailer', SECRET, 'very-secret'])
    expect(JSON.stringify(body)).not.toContain(secret)
})
