/**
 * Secrets that work with the product: sessions, codes, links and keys that are really used, and errors of others that repeat what was sent to
 * them. None may be found in the ledger, its audit, exports, objects, a backup, logs or answers.
 */
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { NLM_BACKEND, ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import { openS3Store } from '#server/adapters/object-store/s3.ts'
import { createSignInLink } from '#server/auth/create-sign-in-link.ts'
import { createLog } from '#server/composition/log.ts'
import { openBackupParts } from '#server/composition/open-copy-parts.ts'
import { makeBackup } from '#server/copies/make-backup.ts'
import { secretValues } from '#server/env.ts'
import { handleCallOutcome } from '#server/jobs/backend-call.ts'
import { createNlmClient } from '#server/jobs/nlm-client.ts'
import { addAgent } from '#server/jobs/testing/queue-room.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { sealAll } from '#server/ledger/seal.ts'
import { transition } from '#server/ledger/transition.ts'
import { consume, PROJECTOR } from '#server/outbox/consume.ts'
import { projectEvents } from '#server/outbox/project-events.ts'
import { createApp } from './app.ts'
import { restRoutes } from './routes.ts'
import { testEnv } from './testing/gateway.ts'
import { type WholeGateway, wholeGateway } from './testing/whole-gateway.ts'

const HOME = '00000000-0000-4000-8000-00000000000c'
const canary = (name: string) => `canary-${name}-81c2d7e0aa`
/** Every secret that was used, by what it is. */
const used: Record<string, string> = {
  bucketKey: canary('bucket-secret-key'),
  bucketAccess: canary('bucket-access-key'),
  ownerPassword: canary('owner-password'),
  sourcePassword: canary('password-in-an-address'),
  echoedPassword: canary('password-of-the-backend'),
  echoedBearer: canary('bearer-of-the-backend'),
  echoedToken: canary('token-of-the-backend'),
  guest: canary('csrf-header'),
  webhook: canary('webhook-signature'),
  accountPassword: canary('account-password'),
  wrongPassword: canary('wrong-password'),
}
const lines: string[] = []
const answers: string[] = []
const log = createLog({ LOG_LEVEL: 'debug' }, 'web', { write: (line) => lines.push(line) })

let whole: WholeGateway
let worker: Database
let careless: Server
let address: string
let folder: string

beforeAll(async () => {
  whole = await wholeGateway()
  worker = openDatabase(whole.ledger.workerUrl)
  folder = await mkdtemp(path.join(tmpdir(), 'canaries-'))
  careless = createServer(async (request, response) => {
    const body = await new Response(request as never).text().catch(() => '')
    const repeated = `Bearer ${used.echoedBearer} https://me:${used.echoedPassword}@db/x?token=${used.echoedToken}`
    response.writeHead(request.url?.startsWith('/jobs') ? 422 : 400, { 'content-type': 'application/xml' })
    response.end(
      `<Error><Code>X</Code><Message>${repeated} ${request.headers.authorization} ${body}</Message></Error>`,
    )
  })
  await new Promise<void>((resolve) => careless.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(careless.address() as AddressInfo).port}`
  // As a process that is given these: from here on they are known as secrets.
  testEnv(whole.ledger.webUrl, {
    MINIO_ENDPOINT: address,
    MINIO_ACCESS_KEY: used.bucketAccess ?? '',
    MINIO_SECRET_KEY: used.bucketKey ?? '',
    MINIO_BUCKET: 'bucket',
    BLOOM_OWNER_PASSWORD: used.ownerPassword ?? '',
  })
  for (const [n, value] of secretValues(whole.services.env).entries())
    if (value.length >= 8) used[`configured ${n}`] = value
})
afterAll(async () => {
  careless.close()
  await worker.close()
  await whole.close()
  await rm(folder, { recursive: true })
})

async function send(at: string, body: unknown, headers: Record<string, string>, isShownOnce = false) {
  const [method = '', place = ''] = at.split(' ')
  const app = createApp(async () => ({ ...whole.services, log }), restRoutes)
  const answer = await app.request(place, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (!isShownOnce) answers.push(`${answer.status} ${text}`)
  return { status: answer.status, text }
}

/** Sessions, a link and a code that work; each is shown to its owner once. */
async function signIn(): Promise<Record<string, string>> {
  const session = await whole.open({})
  const page = await whole.page(session)
  const { authorization = '' } = await whole.bearer(session)
  used.cookie = page.cookie?.split('=')[1] ?? ''
  used.bearer = authorization.slice(7)
  used.link = (await createSignInLink(whole.services, { force: true }))?.split('#t=')[1] ?? ''
  await whole.services.db.query(
    sql`UPDATE session SET step_up_at = clock_timestamp() WHERE sid = ${session.sid}`,
  )
  const zone = { name: 'Guests', folders: ['notes/Beds'] }
  const made = await send('POST /api/v1/zones', zone, { ...page, 'idempotency-key': randomUUID() }, true)
  used.zoneCode = /ZONE-[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(made.text)?.[0] ?? ''
  await presentKeys(page)
  return page
}

/** Keys of a machine, made, rotated, presented where they open nothing, and named in a log; of each the secret part is looked for. */
async function presentKeys(page: Record<string, string>): Promise<void> {
  const once = { ...page, 'idempotency-key': randomUUID() }
  const input = { node_id: 'attic', name: 'Attic' }
  const made = JSON.parse((await send('POST /api/v1/keys', input, once, true)).text)
  const repeated = JSON.parse((await send('POST /api/v1/keys', input, once, true)).text)
  expect(repeated.secret).toBe(made.secret)
  const rotation = `POST /api/v1/keys/${made.key.key_id}/rotate`
  const next = JSON.parse((await send(rotation, {}, { ...page, 'idempotency-key': randomUUID() }, true)).text)
  const keys: string[] = [made.secret, next.secret]
  for (const [n, key] of keys.entries()) {
    used[`machineKey ${n}`] = key.slice(-43)
    await send('GET /api/v1/keys', null, { authorization: `Bearer ${key}`, 'x-membridge-agent': key })
    log.warn({ said: `the node sent ${key}`, headers: { 'x-membridge-agent': key } }, `no key: ${key}`)
  }
  expect((await send(`POST /api/v1/keys/${made.key.key_id}/revoke`, {}, page)).status).toBe(200)
  expect((await send('GET /api/v1/keys', null, page)).status).toBe(200)
}

/** A job whose address holds a password, and one whose backend repeats its request. */
async function work(page: Record<string, string>): Promise<void> {
  await addAgent(worker, 'canary-agent')
  const job = (payload: object) => ({ job_type: 'RESEARCH', agent_slug: 'canary-agent', payload })
  const sources = [{ ref: 'a', url: `https://me:${used.sourcePassword}@example.org/` }]
  const refused = await send('POST /api/v1/jobs', job({ query: 'Why?', sources }), page)
  expect(refused.status).toBe(422)
  const made = await send('POST /api/v1/jobs', job({ query: 'Why?' }), page)
  const { job_id: id } = JSON.parse(made.text)
  const at = { machine: 'job' as const, actor: ORCHESTRATION_LAYER, where: sql`o.job_id = ${id}` }
  const lease = sql`fence = t.fence + 1, lease_holder = ${NLM_BACKEND.identity}, lease_expires_at = clock_timestamp() + interval '60 s'`
  await transition(worker, { ...at, event: 'admit' })
  await transition(worker, { ...at, event: 'pick_up', set: lease })
  await transition(worker, { ...at, event: 'context_ready' })
  const client = createNlmClient({ url: address, apiKey: whole.services.env.NOTEBOOKLM_API_KEY })
  const outcome = await client.process({ job_id: id, write_token: used.echoedToken } as never)
  if (outcome.kind === 'accepted') throw new Error('the careless backend took the job')
  expect(await handleCallOutcome({ db: worker }, { job_id: id, fence: 1 }, outcome)).toBe(true)
  await send(`GET /api/v1/jobs/${id}`, null, page)
}

/** Others' tries, whose headers and bodies are refused. */
async function knock(page: Record<string, string>): Promise<void> {
  await send('POST /api/v1/auth/token', { name: 'owner', password: used.wrongPassword }, {})
  await send('GET /api/v1/jobs', null, { cookie: page.cookie ?? '', 'x-garden': used.guest ?? '' })
  await send(
    'POST /api/v1/accounts',
    { name: 'anna', role: 'operator', password: used.accountPassword },
    page,
  )
  await send(`POST /api/v1/jobs/${randomUUID()}/result`, {}, { 'webhook-signature': `v1,${used.webhook}` })
  await send('POST /api/v1/auth/token', { zone_code: used.zoneCode, consent_version: 9 }, {})
}

/** A projection into a store that refuses and repeats what it was sent; then into the one that works. */
async function project(): Promise<void> {
  await sealAll(worker)
  const { store } = whole.services
  const access = { accessKey: used.bucketAccess ?? '', secretKey: used.bucketKey ?? '' }
  const s3 = openS3Store({ endpoint: address, bucket: 'bucket', ...access, attempts: 1 })
  for (const to of [s3, store]) {
    const parts = { ...whole.services, db: worker, store: to, projectRun: async () => {} }
    const one = { name: PROJECTOR, holder: 'test', handle: (events: never[]) => projectEvents(parts, events) }
    await consume(worker, one as never).catch((err: unknown) => log.error({ err }, 'the projection failed'))
    if (to === s3) answers.push(JSON.stringify(await s3.probe()))
  }
}

/** The backup, without the home's secrets, as text: every row that is copied, every object, the manifest. */
async function backup(): Promise<string> {
  const client = new pg.Client({ connectionString: whole.ledger.url })
  await client.connect()
  await client.query(`INSERT INTO installation (home_id) VALUES ('${HOME}')`)
  await client.end()
  const file = path.join(folder, 'backup.tar.gz')
  const source = { url: whole.ledger.url, homeId: HOME, productVersion: '1', secrets: null }
  const parts = await openBackupParts(whole.services.env)
  await makeBackup({ ...parts, ...source, now: () => new Date(), say: () => {} }, file)
  return gunzipSync(await readFile(file)).toString('utf8')
}

it('finds no secret that was used in ledger, audit, exports, backup, logs and answers', async () => {
  const page = await signIn()
  await work(page)
  await knock(page)
  await project()
  const { rows: failed } = await worker.query<{ last_error: string | null }>(
    sql`SELECT last_error FROM consumer WHERE name = ${PROJECTOR}`,
  )
  const { rows: stored } = await worker.query(sql`SELECT error FROM job`)
  const outputs: Record<string, string> = {
    'stored errors': JSON.stringify([failed, stored]),
    jsonl: (await send('GET /api/v1/audit/export?format=jsonl', null, page)).text,
    csv: (await send('GET /api/v1/audit/export?format=csv', null, page)).text,
    backup: await backup(),
    logs: lines.join(''),
    answers: answers.join('\n'),
  }
  const values = Object.entries(used)
  expect(values.length).toBeGreaterThanOrEqual(20)
  expect(values.filter(([, value]) => value.length < 8)).toEqual([])
  for (const [name, text] of Object.entries(outputs)) {
    expect(text.length, name).toBeGreaterThan(40)
    expect(
      values.filter(([, value]) => text.includes(value)).map(([what]) => what),
      name,
    ).toEqual([])
  }
  expect(outputs.backup).toContain('"format": "garden-bloom-backup/1"')
  expect(outputs['stored errors']).toContain('answered 422')
})
