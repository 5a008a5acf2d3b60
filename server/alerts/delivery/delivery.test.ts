/** Messages about alerts, to a real HTTP receiver and a real SMTP server. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import pino from 'pino'
import { SMTPServer } from 'smtp-server'
import sql from 'sql-template-tag'
import { Webhook } from 'standardwebhooks'
import { afterEach, expect, it } from 'vitest'
import { type AlertMessage, alertMessage } from '#contracts/alert.contract.ts'
import { MAX_ATTEMPTS } from '#domain/alert/delivery.rules.ts'
import type { Row } from '#server/ledger/rows.ts'
import { processMeter } from '#server/metrics/meter.ts'
import { sendTest } from '../send-test.ts'
import { type AlertKit, alertKit, MINUTE, SECOND } from '../testing/alert-kit.ts'
import { deliverDue } from './deliver-due.ts'
import { openSenders } from './open-senders.ts'
import { secondsOf } from './send-webhook.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const log = pino({ level: 'silent' })

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

type Got = { headers: Record<string, string>; body: string }
/** A receiver that checks every signature by the library, unless the clock of the test runs far ahead; `answer` is what it says next. */
async function receiver({ checks = true } = {}) {
  const got: Got[] = []
  const state = { answer: 204, headers: {} as Record<string, string> }
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const headers = request.headers as Record<string, string>
    if (checks) new Webhook(SECRET).verify(body, headers)
    got.push({ headers, body })
    response
      .writeHead(state.answer, { 'content-type': 'application/octet-stream', ...state.headers })
      .end('ok')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => new Promise((resolve) => server.close(resolve)))
  const { port } = server.address() as AddressInfo
  return { got, state, url: `http://127.0.0.1:${port}/hooks/garden` }
}

/** An SMTP server that takes mail for everybody but `refused@…`. */
async function mailbox() {
  const mails: string[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _, done) =>
      done(
        address.startsWith('refused@')
          ? Object.assign(new Error('no such mailbox'), { responseCode: 550 })
          : null,
      ),
    onData: (stream, _, done) => {
      void text(stream).then((mail) => {
        mails.push(mail)
        done()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { mails, url: `smtp://localhost:${(server.server.address() as AddressInfo).port}` }
}

async function open(env: Record<string, string>): Promise<AlertKit & { deliver(): Promise<number> }> {
  const kit = await alertKit(env)
  const { senders, close } = openSenders(kit.parts.env)
  closers.push(kit.close, close)
  return { ...kit, deliver: () => deliverDue({ db: kit.worker, log, senders }, kit.now()) }
}
const webhook = (url: string) => ({ ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: SECRET })
const email = (url: string, to = 'ops@example.org') => ({ SMTP_URL: url, ALERT_EMAIL_TO: to })
const deliveries = async (kit: AlertKit) => {
  const { rows } = await kit.worker.query<Row<'alert_delivery'>>(
    sql`SELECT * FROM alert_delivery ORDER BY created_at, channel`,
  )
  return rows
}
const messageOf = ({ body }: Got): AlertMessage => alertMessage.parse(JSON.parse(body))

it('tells once over each channel that an alert opened and closed, signed, with one id for each', async () => {
  const [hook, mail] = [await receiver(), await mailbox()]
  const kit = await open({ ...webhook(hook.url), ...email(mail.url, 'ops@example.org, owner@example.org') })
  kit.disk.share = 0.9
  await kit.evaluate()
  await kit.evaluate()
  while ((await kit.deliver()) > 0);
  kit.pass(MINUTE)
  kit.disk.share = 0.1
  await kit.evaluate()
  while ((await kit.deliver()) > 0);
  expect(hook.got.map((got) => messageOf(got).eventType)).toEqual(['incident.opened', 'incident.resolved'])
  const [opened] = hook.got.map(messageOf)
  const [alert] = await kit.alerts('StorageFull')
  expect(opened).toMatchObject({
    incident: {
      alert_id: alert?.alert_id,
      rule: 'StorageFull',
      status: 'open',
      value: 0.9,
      severity: 'warning',
    },
    url: `${kit.parts.env.PUBLIC_URL}/alerts/${alert?.alert_id}`,
    idempotencyKey: `orch-incident.opened-${alert?.alert_id}`,
  })
  expect(hook.got[0]?.headers['webhook-id']).toBe(opened?.notifier.delivery)
  expect(mail.mails).toHaveLength(2)
  expect(mail.mails[0]).toMatch(/^Subject: \[Garden Bloom\] Disk filling up: opened\r$/m)
  expect(mail.mails[0]).toMatch(/^To: ops@example\.org, owner@example\.org\r$/m)
  expect(mail.mails[0]).toContain('Disk used: 90.0 %')
  expect(mail.mails[1]).toMatch(/^Subject: .*closed\r$/m)
  const rows = await deliveries(kit)
  expect(rows.map((d) => [d.message, d.channel, d.status, d.attempts])).toEqual([
    ['opened', 'email', 'delivered', 1],
    ['opened', 'webhook', 'delivered', 1],
    ['closed', 'email', 'delivered', 1],
    ['closed', 'webhook', 'delivered', 1],
  ])
})

it('mails in the language that the installation has', async () => {
  const mail = await mailbox()
  const kit = await open({ ...email(mail.url), ALERT_LANGUAGE: 'uk' })
  kit.disk.share = 0.9
  await kit.evaluate()
  expect(await kit.deliver()).toBe(1)
  const [, body = ''] = (mail.mails[0] ?? '').split('\r\n\r\n')
  expect(mail.mails[0]).toMatch(/^Content-Transfer-Encoding: base64\r$/m)
  expect(Buffer.from(body, 'base64').toString('utf8')).toContain('Використано диска: 90,0 %')
})

it('repeats with growing pauses, the same message under the same id, in order, until it is taken', async () => {
  const hook = await receiver()
  hook.state.answer = 503
  const kit = await open(webhook(hook.url))
  kit.disk.share = 0.9
  await kit.evaluate()
  expect(await kit.deliver()).toBe(1)
  expect(await kit.deliver()).toBe(0)
  kit.pass(4 * SECOND)
  expect(await kit.deliver()).toBe(0)
  kit.disk.share = 0.1
  await kit.evaluate()
  kit.pass(SECOND)
  expect(await kit.deliver(), 'the closing waits behind the opening').toBe(1)
  Object.assign(hook.state, { answer: 429, headers: { 'retry-after': '60' } })
  kit.pass(10 * SECOND)
  expect(await kit.deliver()).toBe(1)
  kit.pass(59 * SECOND)
  expect(await kit.deliver()).toBe(0)
  hook.state.answer = 200
  kit.pass(SECOND)
  expect(await kit.deliver()).toBe(1)
  expect(await kit.deliver()).toBe(1)
  expect(
    new Set(hook.got.slice(0, 4).map(({ headers, body }) => `${headers['webhook-id']} ${body}`)).size,
  ).toBe(1)
  expect(hook.got.map((got) => messageOf(got).eventType.split('.')[1])).toEqual([
    ...Array(4).fill('opened'),
    'resolved',
  ])
  expect((await deliveries(kit)).map((d) => [d.attempts, d.status, d.last_error])).toEqual([
    [4, 'delivered', null],
    [1, 'delivered', null],
  ])
})

it('gives up after the last attempt, and at once where the receiver refuses for good', async () => {
  const [hook, mail] = [await receiver({ checks: false }), await mailbox()]
  hook.state.answer = 500
  const kit = await open({ ...webhook(hook.url), ...email(mail.url, 'refused@example.org') })
  kit.disk.share = 0.9
  await kit.evaluate()
  for (let n = 0; n < MAX_ATTEMPTS + 2; n += 1) {
    await kit.deliver()
    kit.pass(61 * MINUTE)
  }
  expect(hook.got).toHaveLength(MAX_ATTEMPTS)
  const [byMail, byHook] = await deliveries(kit)
  expect(byHook).toMatchObject({
    status: 'failed',
    attempts: MAX_ATTEMPTS,
    last_error: 'The receiver answered 500.',
  })
  expect(byMail).toMatchObject({ status: 'failed', attempts: 1, last_error: 'localhost answered 550.' })
  hook.state.answer = 410
  kit.disk.share = 0.1
  await kit.evaluate()
  await kit.deliver()
  const closing = (await deliveries(kit)).find((d) => d.message === 'closed' && d.channel === 'webhook')
  expect(closing).toMatchObject({ status: 'failed', attempts: 1 })
})

it('keeps to the rules for outgoing requests, and names no more of an address than its host', async () => {
  const kit = await open({
    ...webhook('http://[::ffff:10.0.0.1]/secret-path'),
    ...email('smtp://user:swordfish@10.0.0.1.nip.test'),
  })
  await sendTest({ db: kit.worker, env: kit.parts.env }, { role: 'owner', identity: 'owner', via: 'console' })
  kit.pass(SECOND)
  await kit.deliver()
  const [byMail, byHook] = await deliveries(kit)
  expect(byMail?.last_error).not.toContain('swordfish')
  expect(byHook?.last_error ?? '').not.toContain('secret-path')
  expect([byMail?.status, byHook?.status]).not.toContain('delivered')
})

it('counts attempts to send, and none where nothing can be sent', async () => {
  const hook = await receiver()
  hook.state.answer = 503
  const kit = await open(webhook(hook.url))
  kit.disk.share = 0.9
  await kit.evaluate()
  const counted = () =>
    processMeter()
      .take()
      .filter(({ name }) => name === 'garden_webhook_deliveries_total')
      .map(({ labels, count }) => [labels.outcome, count])
  counted()
  await kit.deliver()
  expect(counted()).toEqual([['retry', 1]])
  kit.pass(MINUTE)
  expect(await deliverDue({ db: kit.worker, log, senders: {} }, kit.now())).toBe(1)
  expect((await deliveries(kit))[0]).toMatchObject({ status: 'failed' })
  expect(counted()).toEqual([])
})

it('two workers at once open, tell and send once', async () => {
  const hook = await receiver()
  const kit = await open(webhook(hook.url))
  kit.disk.share = 0.9
  await Promise.all(Array.from({ length: 4 }, () => kit.evaluate()))
  expect(await kit.alerts('StorageFull')).toHaveLength(1)
  await Promise.all(Array.from({ length: 4 }, () => kit.deliver()))
  expect(hook.got).toHaveLength(1)
})

it('leaves the result of an attempt to whoever has taken the message over', async () => {
  const hook = await receiver()
  hook.state.answer = 503
  const kit = await open(webhook(hook.url))
  kit.disk.share = 0.9
  await kit.evaluate()
  let resume = () => {}
  const blocked = new Promise<void>((resolve) => {
    resume = resolve
  })
  const slow = { webhook: () => blocked.then(() => ({ kind: 'refused', message: 'late' }) as const) }
  const late = deliverDue({ db: kit.worker, log, senders: slow }, kit.now())
  await expect.poll(async () => (await deliveries(kit))[0]?.attempts).toBe(1)
  kit.pass(61 * SECOND)
  expect(await kit.deliver()).toBe(1)
  resume()
  await late
  expect((await deliveries(kit))[0]).toMatchObject({
    status: 'pending',
    attempts: 2,
    last_error: 'The receiver answered 503.',
  })
})

it.each([
  ['60', 60],
  ['Mon, 02 Mar 2026 09:01:30 GMT', 90],
  ['Mon, 02 Mar 2026 08:00:00 GMT', 0],
  ['soon', undefined],
  [undefined, undefined],
])('reads Retry-After %s as %s', (header, seconds) =>
  expect(secondsOf(header, new Date('2026-03-02T09:00:00Z'))).toBe(seconds),
)
