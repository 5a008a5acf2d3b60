/** Who may call BLOOM Runtime over HTTP, and how often; and where the token of a lease stands: in the one answer that grants it. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { makeKey } from '#server/keys/make-key.ts'
import { OF_THIS_MACHINE } from './testing/gateway.ts'
import {
  JSON_TYPE,
  openRuntimeWire,
  R,
  type RuntimeWire,
  success,
  taskOf,
  workerName,
} from './testing/runtime-wire.ts'

let wire: RuntimeWire
beforeAll(async () => {
  wire = await openRuntimeWire()
})
afterAll(() => wire?.close())
beforeEach(() => wire.forgetRequests())

/** A key of a node's own, under this name. */
async function keyOf(node: string): Promise<string> {
  const made = await wire.whole.services.db.transaction((tx) =>
    makeKey(
      tx,
      { kind: 'node', node_id: node, name: 'k', expires_in_days: null },
      { role: 'owner', identity: 'owner', via: 'console' },
    ),
  )
  if (!made.ok) throw new Error(made.refusal.message)
  return made.value.secret
}

const fetchedTask = z.object({
  job: z.object({ runtime_url: z.string() }),
  ...{ token: z.string(), leaseId: z.string(), fence: z.number() },
})

describe('who may call', () => {
  test('nobody without a key or a session, and no machine with a wrong one', async () => {
    for (const headers of [
      JSON_TYPE,
      { ...wire.machine, 'x-runtime-api-key': 'x' },
      { ...OF_THIS_MACHINE, 'x-membridge-agent': 'gbk_x' },
    ])
      for (const at of [
        `GET ${R}/llm-tasks`,
        `POST ${R}/llm-tasks`,
        `POST ${R}/workers`,
        'POST /api/jobs/lease',
      ]) {
        const answer = await wire.call(at, at.startsWith('GET') ? undefined : {}, { headers })
        expect([at, answer.status, answer.json]).toEqual([at, 401, { error: 'Unauthorized' }])
      }
    const health = await wire.call(`GET ${R}/health`, undefined, { headers: JSON_TYPE })
    expect(health.json).toMatchObject({ status: 'ok', service: 'bloom-runtime', storage: 'postgresql' })
  })

  test('a key is not looked at over a network in clear', async () => {
    const headers = { ...wire.machine, 'x-garden-peer': '192.0.2.9' }
    expect((await wire.call(`GET ${R}/llm-tasks`, undefined, { headers })).status).toBe(403)
  })

  test('older clients by the older name of the header, people by their session', async () => {
    const { 'x-runtime-api-key': key = '', ...rest } = wire.machine
    for (const headers of [{ ...rest, 'x-bloom-api-key': key }, wire.owner, wire.operator])
      expect((await wire.call(`GET ${R}/stats`, undefined, { headers })).status).toBe(200)
  })

  test('a node under its own key: for itself, and nothing else', async () => {
    const name = workerName()
    const headers = { ...OF_THIS_MACHINE, ...JSON_TYPE, 'x-membridge-agent': await keyOf(name) }
    const as = (at: string, body?: unknown) => wire.call(at, body, { headers })
    expect((await as(`POST ${R}/workers`, { name: 'another' })).status).toBe(403)
    expect((await as(`POST ${R}/workers`, { name, capabilities: { max_concurrency: 2 } })).status).toBe(201)
    const { task, lease } = await wire.leased()
    const foreign = success('x', { lease_id: lease.id, fence: 1 })
    expect((await as(`POST ${R}/llm-tasks/${task.id}/complete`, foreign)).code).toBe('FENCE_STALE')
    expect((await as(`GET ${R}/llm-tasks`)).status).toBe(403)
    expect((await as(`POST ${R}/llm-tasks`, taskOf())).status).toBe(403)
    await wire.whole.services.db.query(
      sql`UPDATE llm_task SET not_before = clock_timestamp() + interval '1 hour' WHERE status = 'queued'`,
    )
    expect((await as('POST /api/jobs/lease', { jobTypes: ['llm_task'] })).status).toBe(204)
    const mine = await wire.addTask()
    const fetched = await as('POST /api/jobs/lease', { wait_ms: 0 })
    expect(fetched.json).toMatchObject({
      job: { task_id: mine.id, prompt: 'What is new?' },
      fence: 1,
      heartbeat_seconds: 10,
    })
    const { job, token, leaseId, fence } = fetchedTask.parse(fetched.json)
    expect(job.runtime_url).toContain(`/lease/${token}`)
    const below = `POST /api/jobs/${mine.id}/lease`
    const progress = { phase: 'running', tail: 'half\n' }
    const renewed = await as(`${below}/renew`, { leaseId, fence, progress })
    expect(renewed.json).toEqual({ leaseUntil: expect.any(Number), leaseSeconds: expect.any(Number) })
    const report = { ...success(), leaseId, fence, status: 'succeeded' }
    expect((await as(`${below}/complete`, report)).json).toMatchObject({ task: { status: 'completed' } })
    expect((await as(`${below}/renew`, { leaseId, fence })).status).toBe(409)
    const empty = await as(`${below}/complete`, { leaseId, fence, status: 'succeeded' })
    expect(empty.status).toBe(400)
  })

  test('an identity a hundred times a minute, reports of held leases not counted', async () => {
    const { bearer, open } = wire.whole
    const headers = await bearer(await open({ role: 'operator', identity: 'operator:busy' }))
    for (let n = 0; n < 100; n++)
      expect((await wire.call(`GET ${R}/health`, undefined, { headers })).status).toBe(200)
    const last = []
    for (let n = 0; n < 101; n++) last.push(await wire.call(`GET ${R}/workers/x`, undefined, { headers }))
    expect(last[99]?.status).toBe(404)
    expect([last[100]?.status, last[100]?.json]).toEqual([
      429,
      { error: 'Too many requests, please try again later' },
    ])
    expect(last[100]?.headers.get('ratelimit-limit')).toBe('100')
    expect(last[100]?.headers.get('retry-after')).not.toBeNull()
  })
})

describe('a token of a lease', () => {
  test('stands in no answer but the first, no address and no record', async () => {
    const { task, lease } = await wire.leased()
    const below = `/lease/${lease.token}`
    for (const path of [
      '',
      '/',
      `${R}/llm-tasks`,
      `${R}/llm-tasks/${task.id}`,
      `${R}/llm-tasks/${task.id}/requeue`,
      '/api/v1/jobs',
    ]) {
      const answer = await wire.call(`POST ${below}${path}`, {}, { headers: OF_THIS_MACHINE })
      expect([path, answer.status]).toEqual([path, 404])
      expect(answer.text + JSON.stringify([...answer.headers])).not.toContain(lease.token)
    }
    await wire.call(`POST ${below}${R}/llm-tasks/${task.id}/complete`, {}, { headers: OF_THIS_MACHINE })
    const { text } = await wire.call(`GET ${R}/llm-tasks/${task.id}`)
    expect(text).not.toContain(lease.token)
    const { rows } = await wire.whole.services.db.query(
      sql`SELECT 1 FROM event WHERE event::text LIKE ${`%${lease.token}%`}`,
    )
    expect(rows).toEqual([])
  })
})
