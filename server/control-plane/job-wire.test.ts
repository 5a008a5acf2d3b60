/** `/jobs` as a client meets it: the process over HTTP, under its own database role, called by plain `fetch`. */
import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addAgent, addJob, call, jobLine, openRoom, type Room } from '#server/jobs/testing/queue-room.ts'
import {
  type ControlPlaneProcess,
  controlPlaneEnv,
  runControlPlane,
} from './testing/control-plane-process.ts'
import { type Sent, sendTo } from './testing/wire-client.ts'

/** In the order of the wire. */
const KEYS =
  'kind id status job_type agent_slug attempt max_attempts artifact_id error updated_at action project agent canonical_id detail stdout stderr returncode dryrun created_at finished_at request_id'
const KEYS_OF_SYNCS = [
  'action',
  'project',
  'agent',
  'canonical_id',
  'detail',
  'stdout',
  'stderr',
  'returncode',
]
const UNAUTHORIZED = '{"detail":"Unauthorized — invalid or missing X-MEMBRIDGE-ADMIN header"}'
const SECRETS = controlPlaneEnv({})

let room: Room
let plane: ControlPlaneProcess
beforeAll(async () => {
  room = await openRoom(4)
  plane = await runControlPlane({ DATABASE_URL: room.planeUrl })
})
afterAll(async () => {
  await plane?.stop('SIGKILL')
  await room?.close()
})

const send = (address: string, sent?: Sent) => sendTo(plane.url, address, sent)
const eventsOf = async (id: string) => {
  const { rows } = await room.web.db.query(
    sql`SELECT name, actor, via, outcome, error_code, reason FROM event WHERE resource_id = ${id} AND actor = 'membridge' ORDER BY id`,
  )
  return rows
}
const failed = async () => {
  const id = await addJob(room.db)
  expect((await send(`PATCH /jobs/${id}/status`, { body: { status: 'FAILED' } })).status).toBe(200)
  return id
}

test('a fresh instance has none', async () => {
  expect(await send('GET /jobs')).toMatchObject({ status: 200, text: '[]' })
})

describe('an item', () => {
  test('has every key of both kinds, in compact JSON', async () => {
    const id = await addJob(room.db)
    const { status, text, json } = await send(`GET /jobs/${id}`)
    expect([status, Object.keys(json).join(' ')]).toEqual([200, KEYS])
    expect(text).toBe(JSON.stringify(json))
    expect(json).toMatchObject({
      kind: 'job',
      id,
      status: 'PENDING',
      job_type: 'RESEARCH',
      agent_slug: expect.stringMatching(/^a-/),
      attempt: 0,
      max_attempts: 3,
      artifact_id: null,
      error: null,
      finished_at: null,
    })
    for (const key of KEYS_OF_SYNCS) expect([key, json[key]]).toEqual([key, null])
    for (const key of ['created_at', 'updated_at'])
      expect(Math.abs(json[key] - Date.now() / 1000)).toBeLessThan(600)
    expect((await send(`GET /jobs/${id.toUpperCase()}`)).json.id).toBe(id)
  })

  test.each([
    'nothing',
    '-1',
    '0',
    randomUUID(),
    `${randomUUID()}x`,
    'a'.repeat(500),
    '%F0%9F%8C%B1',
    "x'--",
  ])('that is not there is 404 (%s)', async (id) => {
    const answer = await send(`GET /jobs/${id}`)
    const shown = decodeURIComponent(id).slice(0, 128)
    expect([answer.status, answer.json]).toEqual([404, { detail: `Job '${shown}' not found` }])
  })
})

describe('the list', () => {
  test('is filtered by status, kind and project, newest first', async () => {
    const agent = await addAgent(room.db, 'lister')
    const ids = [await addJob(room.db, { agent }), await addJob(room.db, { agent })]
    const mine = async (query: string) =>
      (await send(`GET /jobs${query}`)).json
        .filter((item: { agent_slug: string }) => item.agent_slug === agent)
        .map((item: { id: string }) => item.id)
    const newestFirst = [...ids].reverse()
    expect(await mine('')).toEqual(newestFirst)
    expect(await mine('?status=CREATED&limit=200')).toEqual(newestFirst)
    expect(await mine('?status=PENDING&kind=job')).toEqual(newestFirst)
    for (const none of ['?status=DEAD', '?kind=sync', '?project=garden', '?status=pending'])
      expect(await mine(none)).toEqual([])
    expect((await send('GET /jobs?limit=1')).json).toHaveLength(1)
    expect((await send('GET /jobs?limit=1&of_a_newer_client=1')).status).toBe(200)
  })

  test.each([
    ['limit=201', 'limit'],
    ['limit=0', 'limit'],
    ['limit=many', 'limit'],
    ['status=RUNNING', 'status'],
    ['kind=run', 'kind'],
  ])('%s is 422 and names the field', async (query, field) => {
    const { status, json } = await send(`GET /jobs?${query}`)
    expect([status, json.detail[0].loc]).toEqual([422, ['query', field]])
    expect(Object.keys(json.detail[0])).toEqual(['loc', 'msg', 'type'])
  })
})

describe('failing a job', () => {
  test('is the console’s own command, recorded as the control plane’s', async () => {
    const id = await addJob(room.db)
    const { status, json } = await send(`PATCH /jobs/${id}/status`, {
      body: { status: 'FAILED', reason: 'stuck' },
    })
    expect([status, Object.keys(json).join(' '), json.status]).toEqual([200, KEYS, 'FAILED'])
    expect(json.error).toEqual({
      code: 'OPERATOR_FAILED',
      message: 'stuck',
      phase: 'PENDING',
      retryable: false,
      at: expect.any(Number),
    })
    expect(json.finished_at).toEqual(expect.any(Number))
    expect(await jobLine(room.db, id)).toMatchObject({ failure_kind: 'operator' })
    expect(await eventsOf(id)).toMatchObject([{ via: 'control-plane', outcome: 'ok', reason: 'stuck' }])
  })

  test('takes a null reason, and fields that it does not know', async () => {
    const id = await addJob(room.db)
    const body = { status: 'FAILED', reason: null, by: 'a newer client' }
    expect((await send(`PATCH /jobs/${id}/status`, { body })).status).toBe(200)
    expect(await eventsOf(id)).toMatchObject([{ reason: 'fail through the control plane' }])
  })

  test('that has ended is 409 with what may be done, and leaves a refusal', async () => {
    const id = await failed()
    const { status, json } = await send(`PATCH /jobs/${id}/status`, { body: { status: 'FAILED' } })
    expect(status).toBe(409)
    expect(json).toMatchObject({ code: 'INVALID_TRANSITION', from: 'FAILED', detail: expect.any(String) })
    expect(json.allowed).toContain('requeue')
    expect((await eventsOf(id)).at(-1)).toMatchObject({
      outcome: 'refused',
      error_code: 'INVALID_TRANSITION',
    })
  })

  test('that is writing its artifact is 409 JOB_WRITING', async () => {
    const id = await addJob(room.db)
    await call(room, id)
    await room.db.query(sql`UPDATE job SET status = 'ARTIFACT_WRITE' WHERE job_id = ${id}`)
    const { status, json } = await send(`PATCH /jobs/${id}/status`, { body: { status: 'FAILED' } })
    expect([status, json.code]).toEqual([409, 'JOB_WRITING'])
    expect((await jobLine(room.db, id)).status).toBe('ARTIFACT_WRITE')
  })

  test.each<[unknown, (string | number)[], string]>([
    [{ status: 'DEAD' }, ['body', 'status'], 'invalid_value'],
    [{ status: 'failed' }, ['body', 'status'], 'invalid_value'],
    [{}, ['body', 'status'], 'missing'],
    [undefined, ['body', 'status'], 'missing'],
    [{ status: 'FAILED', reason: 5 }, ['body', 'reason'], 'invalid_type'],
    [{ status: 'FAILED', reason: 'x'.repeat(257) }, ['body', 'reason'], 'too_big'],
    [[], ['body'], 'invalid_type'],
  ])('%j is 422 and changes nothing', async (body, loc, type) => {
    const id = await addJob(room.db)
    const { status, json } = await send(`PATCH /jobs/${id}/status`, { body })
    expect([status, json.detail]).toEqual([422, [{ loc, msg: expect.any(String), type }]])
    expect((await jobLine(room.db, id)).status).toBe('PENDING')
  })

  test('that is not there is 404', async () => {
    for (const id of [randomUUID(), 'nothing']) {
      const { status, json } = await send(`PATCH /jobs/${id}/status`, { body: { status: 'FAILED' } })
      expect([status, json]).toEqual([404, { detail: `Job '${id}' not found` }])
    }
  })
})

describe('requeueing a job', () => {
  test.each([
    ['an empty body', undefined, 'requeue through the control plane'],
    ['no reason', {}, 'requeue through the control plane'],
    ['a reason', { reason: 'the store is back' }, 'the store is back'],
  ])('with %s puts it into the queue', async (_, body, reason) => {
    const id = await failed()
    const { status, json } = await send(`POST /jobs/${id}/requeue`, { body })
    expect([status, json.id, json.status, json.attempt, json.error]).toEqual([200, id, 'QUEUED', 0, null])
    expect((await eventsOf(id)).at(-1)).toMatchObject({ outcome: 'ok', via: 'control-plane', reason })
  })

  test('that has not failed is 409 and leaves a refusal', async () => {
    const id = await addJob(room.db)
    const { status, json } = await send(`POST /jobs/${id}/requeue`)
    expect([status, json.code, json.from]).toEqual([409, 'INVALID_TRANSITION', 'PENDING'])
    expect(await eventsOf(id)).toMatchObject([{ outcome: 'refused', error_code: 'INVALID_TRANSITION' }])
    expect((await send('POST /jobs/nothing/requeue')).text).toBe(`{"detail":"Job 'nothing' not found"}`)
  })
})

describe('without the admin key', () => {
  const keys: [string, Record<string, string>][] = [
    ['nothing', {}],
    ['a wrong key', { 'x-membridge-admin': 'x'.repeat(43) }],
    ['the agent key', { 'x-membridge-admin': SECRETS.MEMBRIDGE_AGENT_KEY as string }],
    ['the callback token', { 'x-membridge-admin': SECRETS.MEMBRIDGE_CALLBACK_TOKEN as string }],
  ]
  const id = randomUUID()
  test.each(['GET /jobs', `GET /jobs/${id}`, `POST /jobs/${id}/requeue`, `PATCH /jobs/${id}/status`])(
    '%s is 401, byte for byte',
    async (address) => {
      for (const [, headers] of keys) {
        const answer = await send(address, { headers: { 'x-membridge-admin': '', ...headers } })
        expect([answer.status, answer.text]).toEqual([401, UNAUTHORIZED])
      }
    },
  )
})

test('the right key that a proxy handed on in clear is 403', async () => {
  const { status, json } = await send('GET /jobs', { headers: { 'x-forwarded-for': '127.0.0.1' } })
  expect([status, json.code]).toEqual([403, 'FORBIDDEN'])
})

test('no refusal of all these was a fault of ours, and no key is in the log', () => {
  expect(plane.lines().filter(({ level }) => level === 'ERROR' || level === 'WARNING')).toEqual([])
  for (const name of ['MEMBRIDGE_ADMIN_KEY', 'MEMBRIDGE_AGENT_KEY', 'MEMBRIDGE_CALLBACK_TOKEN'])
    expect(plane.output()).not.toContain(SECRETS[name])
})
