/** Secrets put wherever a caller, the environment or an error can put them; none may be found in what the product writes or answers. */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { createLog } from '#server/composition/log.ts'
import { secretValues } from '#server/env.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { sealAll, sealedAfter } from '#server/ledger/seal.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import { projectEvents } from '#server/outbox/project-events.ts'
import { createApp } from './app.ts'
import { route } from './route.ts'
import { restRoutes } from './routes.ts'
import { type WholeGateway, wholeGateway } from './testing/whole-gateway.ts'

const canary = (name: string) => `canary-${name}-5f0c1d9e7b`
const SENT = {
  bearer: canary('bearer'),
  cookie: canary('cookie'),
  idempotency: canary('idempotency'),
  signature: canary('signature'),
  callback: canary('callback-token'),
  query: canary('query-token'),
  password: canary('password'),
  account: canary('account-password'),
  stepUp: canary('step-up'),
  zoneCode: 'ZONE-7K2M-9QXA',
  link: canary('link-token'),
  databaseUrl: canary('database-password'),
  nested: canary('nested'),
  header: canary('header'),
}

let whole: WholeGateway
let owner: Record<string, string>
const lines: string[] = []
const answers: string[] = []
let configured: string[]

beforeAll(async () => {
  whole = await wholeGateway()
  configured = secretValues(whole.services.env).filter((value) => value.length >= 8)
  owner = await whole.page(await whole.open({}))
})
afterAll(() => whole.close())

const failing = route({
  at: 'POST /api/v1/test/fail',
  policy: { open: 'fails in this test' },
  summary: 'Fails with secrets in its error',
  tag: 'Test',
  input: z.looseObject({}),
  output: null,
  run: async ({ services, caller }, body) => {
    await recordEvent(services.db, {
      name: 'access.refused',
      actor: caller,
      resource: { type: 'endpoint', id: 'test' },
      reason: `it said ${configured.join(' ')}`,
      details: {
        body,
        deep: [{ headers: { Authorization: SENT.nested, 'Set-Cookie': SENT.nested } }],
        configured,
      },
    })
    services.log.warn({ body, headers: { cookie: SENT.cookie } }, `seen ${configured[0]}`)
    throw Object.assign(new Error(`postgresql://me:${SENT.databaseUrl}@db/x: ${configured.join(', ')}`), {
      config: { password: SENT.nested },
      cause: new Error(`Bearer ${SENT.bearer}`),
    })
  },
})

async function send(at: string, body: unknown, headers: Record<string, string>): Promise<void> {
  const [method = '', place = ''] = at.split(' ')
  const log = createLog({ LOG_LEVEL: 'debug' }, 'web', { write: (line) => lines.push(line) })
  const app = createApp(async () => ({ ...whole.services, log }), [...restRoutes, failing])
  const answer = await app.request(place, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
  })
  answers.push(`${answer.status} ${await answer.text()}`)
}

async function sendAll(): Promise<void> {
  const signature = {
    'webhook-id': 'x',
    'webhook-timestamp': '1',
    'webhook-signature': `v1,${SENT.signature}`,
  }
  await send(`GET /api/v1/jobs?token=${SENT.query}`, null, { authorization: `Bearer ${SENT.bearer}` })
  await send('GET /api/v1/jobs', null, { cookie: `garden_session=${SENT.cookie}` })
  await send(
    'POST /api/v1/auth/token',
    { name: SENT.password, password: SENT.password },
    { 'x-garden': SENT.header },
  )
  await send('POST /api/v1/auth/token', { zone_code: SENT.zoneCode, consent_version: 1 }, {})
  await send('POST /api/v1/zones/enter', { zone_id: 'abcdef12', token: SENT.link, consent_version: 1 }, owner)
  await send('POST /api/v1/auth/step-up', { password: SENT.stepUp }, owner)
  await send('POST /api/v1/accounts', { name: 'nobody', password: SENT.account }, owner)
  await send('POST /api/v1/zones', { name: SENT.zoneCode }, { ...owner, 'idempotency-key': SENT.idempotency })
  const jobId = '0199aaaa-0000-7000-8000-000000000000'
  await send(
    `POST /api/v1/jobs/${jobId}/result`,
    {},
    { authorization: `Bearer ${SENT.callback}`, ...signature },
  )
  await send('POST /api/v1/artifacts', { job_id: jobId }, { authorization: `Bearer ${SENT.callback}` })
  await send(
    'POST /api/v1/test/fail',
    { token: SENT.nested, a: { password: SENT.password, code: SENT.zoneCode, note: `of ${configured[0]}` } },
    {},
  )
}

async function objects(): Promise<string> {
  const folder = path.join(whole.services.env.BLOOM_HOME, 'objects')
  const files = await readdir(folder, { recursive: true, withFileTypes: true })
  const texts = files.filter((f) => f.isFile()).map((f) => readFile(path.join(f.parentPath, f.name), 'utf8'))
  return (await Promise.all(texts)).join('\n')
}

it('finds no canary in logs, audit, exports, objects and answers', async () => {
  await sendAll()
  const { services, app } = whole
  const { rows: events } = await services.db.query(sql`SELECT e.* FROM event e`)
  await onLedger(whole.ledger.workerUrl, sealAll)
  const { rows: sealed } = await services.db.query<{ n: number }>(sql`SELECT count(*) AS n FROM event_seal`)
  await projectEvents(
    { ...services, projectRun: async () => undefined },
    await sealedAfter(services.db, 0, 500),
  )
  const listed = await app.request('/api/v1/audit?limit=100', { headers: owner })
  const outputs = {
    logs: lines.join(''),
    audit: JSON.stringify(events),
    exports: await listed.text(),
    objects: await objects(),
    answers: answers.join('\n'),
  }
  const canaries = [...Object.values(SENT), ...configured]
  expect(canaries.length).toBeGreaterThanOrEqual(20)
  expect(sealed[0]?.n).toBeGreaterThan(0)
  for (const [name, text] of Object.entries(outputs)) {
    expect(text.length, name).toBeGreaterThan(200)
    expect(
      canaries.filter((value) => text.includes(value)),
      name,
    ).toEqual([])
  }
  // The lines are there, and say what they should.
  const requests = lines.map((line) => JSON.parse(line)).filter((line) => line.msg === 'request')
  expect(requests).toContainEqual(
    expect.objectContaining({
      method: 'GET',
      route: '/api/v1/jobs',
      status: 401,
      role: 'anonymous',
      ms: expect.any(Number),
    }),
  )
  expect(requests).toContainEqual(
    expect.objectContaining({ route: '/api/v1/jobs/{id}/result', correlation_id: expect.any(String) }),
  )
})
