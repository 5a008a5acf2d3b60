/** The key that workers share: what a worker does, for the worker that is named, and nothing else. */
import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApp } from './app.ts'
import { OF_THIS_MACHINE } from './testing/gateway.ts'
import { type WholeGateway, wholeGateway } from './testing/whole-gateway.ts'

const WORKER_KEY = 'w'.repeat(43)
const R = '/api/runtime'
let whole: WholeGateway
let app: ReturnType<typeof createApp>
beforeAll(async () => {
  whole = await wholeGateway()
  const env = { ...whole.services.env, BLOOM_WORKER_KEY: WORKER_KEY }
  app = createApp(async () => ({ ...whole.services, env }))
})
afterAll(() => whole?.close())

async function call(at: string, body?: unknown, key = WORKER_KEY, on = app) {
  const [method = 'GET', path = ''] = at.split(' ')
  const headers = { ...OF_THIS_MACHINE, 'content-type': 'application/json', 'x-runtime-api-key': key }
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const answer = await on.request(path, { method, headers, ...sent })
  const text = await answer.text()
  return { status: answer.status, json: text === '' ? null : JSON.parse(text) }
}
const asMachine = (at: string, body?: unknown) => call(at, body, whole.services.env.RUNTIME_API_KEY)
const task = { context_id: 'c', agent_slug: 'writer', prompt: 'What is new?' }
const register = () =>
  call(`POST ${R}/workers`, { name: `w-${randomUUID().slice(0, 8)}`, capabilities: { max_concurrency: 2 } })

test('registers, fetches, beats and reports', async () => {
  const worker = await register()
  expect(worker.status).toBe(201)
  const { json: made } = await asMachine(`POST ${R}/llm-tasks`, task)
  const fetched = await call('POST /api/jobs/lease', { worker_id: worker.json.id })
  expect(fetched.json).toMatchObject({ job: { task_id: made.id } })
  const { leaseId, fence } = fetched.json
  expect((await call(`POST /api/jobs/${made.id}/lease/renew`, { leaseId, fence })).status).toBe(200)
  const report = { leaseId, fence, status: 'succeeded', output: 'Spring.', metrics: { duration_ms: 1 } }
  expect((await call(`POST /api/jobs/${made.id}/lease/complete`, report)).json).toMatchObject({
    task: { status: 'completed' },
  })
})

test('leases for the worker that it names, and for nobody without one', async () => {
  const worker = await register()
  const { json: made } = await asMachine(`POST ${R}/llm-tasks`, task)
  for (const at of [`POST ${R}/llm-tasks/${made.id}/lease`, 'POST /api/jobs/lease'])
    expect((await call(at, {})).status).toBe(400)
  const leased = await call(`POST ${R}/llm-tasks/${made.id}/lease`, { worker_id: worker.json.id })
  expect(leased.status).toBe(201)
  const { id, fence } = leased.json.lease
  const beat = `POST ${R}/llm-tasks/${made.id}/heartbeat`
  expect((await call(beat, { lease_id: id, fence: fence + 1 })).status).toBe(409)
  expect((await call(beat, { lease_id: id, fence })).status).toBe(200)
})

test('may nothing else', async () => {
  const { json: worker } = await register()
  for (const [at, body] of [
    [`POST ${R}/llm-tasks`, task],
    [`GET ${R}/llm-tasks`],
    [`GET ${R}/workers`],
    [`GET ${R}/stats`],
    [`POST ${R}/workers/${worker.id}/drain`, { drain: true, reason: 'r' }],
    [`GET ${R}/workers/${worker.id}/agent-health`],
    [`POST ${R}/test-connection`, {}],
    [`GET ${R}/agent-install-script`],
  ] as const)
    expect([at, (await call(at, body)).status]).toEqual([at, 403])
  for (const at of [
    `GET ${R}/config`,
    `POST ${R}/workers/${worker.id}/agent-restart`,
    `DELETE ${R}/workers/${worker.id}`,
  ])
    expect([
      at,
      [401, 403].includes((await call(at, at.startsWith('POST') ? { reason: 'r' } : undefined)).status),
    ]).toEqual([at, true])
  expect(Object.keys((await call(`GET ${R}/health`)).json)).not.toContain('membridge')
})

test('means nothing where no such key was given', async () => {
  for (const key of [WORKER_KEY, ''])
    expect((await call(`POST ${R}/workers`, { name: 'x', capabilities: {} }, key, whole.app)).status).toBe(
      401,
    )
  const { rows } = await whole.services.db.query(sql`SELECT 1 FROM worker_node WHERE name = 'x'`)
  expect(rows).toEqual([])
})
