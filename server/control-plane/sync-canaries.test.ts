/** Secrets wherever a client, the environment or a node can put them: none may be in the log, in a row, in an event or in an answer. */
import sql, { raw } from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import { runTestAgent, type TestAgent } from '#server/membridge/testing/run-agent.ts'
import { type ControlPlaneProcess, runControlPlane } from './testing/control-plane-process.ts'
import { sendTo } from './testing/wire-client.ts'

const canary = (name: string) => `canary-${name}-`.padEnd(43, '5')
const ENV = {
  MEMBRIDGE_ADMIN_KEY: canary('admin-key'),
  MEMBRIDGE_AGENT_KEY: canary('agent-key'),
  MEMBRIDGE_CALLBACK_TOKEN: canary('callback-token'),
  MEMBRIDGE_CALLBACK_SIGNING_KEY: canary('signing-key'),
  BLOOM_ADDRESS_KEY: canary('address-key'),
  MINIO_ACCESS_KEY: canary('store-account'),
  MINIO_SECRET_KEY: canary('store-secret'),
}
const SENT = {
  'x-membridge-admin': canary('wrong-key'),
  'x-membridge-agent': canary('node-key'),
  authorization: `Bearer ${canary('bearer')}`,
  cookie: `garden_session=${canary('cookie')}`,
  'idempotency-key': canary('idempotency'),
}
const ADMIN = { 'x-membridge-admin': ENV.MEMBRIDGE_ADMIN_KEY }

let database: TestDatabase
let plane: ControlPlaneProcess
let node: TestAgent
beforeAll(async () => {
  database = await createTestDatabase()
  node = await runTestAgent()
  const store = { MINIO_ENDPOINT: 'http://127.0.0.1:9', MINIO_BUCKET: 'bloom' }
  plane = await runControlPlane({ DATABASE_URL: database.controlPlaneUrl, ...store, ...ENV })
})
afterAll(async () => {
  await Promise.all([plane?.stop(), node?.stop()])
  await database?.drop()
})

/** Every row of the tables that a sync touches. */
const rows = () =>
  onLedger(database.adminUrl, async (owner) => {
    const tables = ['membridge_sync', 'membridge_agent', 'membridge_project', 'event', 'metric_total']
    const read = tables.map((name) => owner.query(sql`SELECT t::text FROM ${raw(name)} t`))
    return JSON.stringify(await Promise.all(read.map(async (one) => (await one).rows)))
  })

test('22 canaries of the environment, of headers and of nodes are nowhere', async () => {
  const answers: string[] = []
  const send = async (address: string, body?: unknown, headers: Record<string, string> = ADMIN) =>
    answers.push((await sendTo(plane.url, address, { body, headers })).text)
  await send('POST /projects', { name: 'mem' })
  for (const name of ['leaks', 'leaksDetail', 'repeats', 'key'])
    await send('POST /agents', { name, url: `${node.url}/${name}` })
  for (const agent of ['leaks', 'leaksDetail', 'repeats', 'key'])
    for (const action of ['push', 'pull']) await send(`POST /sync/${action}`, { project: 'mem', agent })
  for (const address of ['POST /sync/push', 'GET /jobs'])
    await send(address, address.startsWith('POST') ? { project: 'mem', agent: 'leaks' } : undefined, SENT)
  await send('GET /jobs')
  await send('GET /agents')

  const said = { log: plane.output(), answers: answers.join('\n'), rows: await rows() }
  expect(said.rows).toContain('****')
  const planted = [
    ...Object.values(ENV),
    ...Object.values(SENT).map((value) => value.replace(/^Bearer |^garden_session=/, '')),
    ...['secret', 'access', 'agent', 'admin', 'password', 'url', 'query', 'token', 'header', 'detail'].map(
      (name) => `canary-of-the-node-${name}`,
    ),
  ]
  expect(planted).toHaveLength(22)
  for (const [where, text] of Object.entries(said))
    for (const secret of planted) expect(text.includes(secret), `${secret} in ${where}`).toBe(false)
  expect((await node.seen())[0]?.key).toBe(ENV.MEMBRIDGE_AGENT_KEY)
  expect(plane.lines().filter(({ level }) => level === 'ERROR')).toEqual([])
})
