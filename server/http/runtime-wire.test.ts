/** The wire of BLOOM Runtime: every route with success and refusals, by each kind of caller, and what a refusal leaves behind: nothing. */
import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makeKey } from '#server/keys/make-key.ts'
import { eventsOf } from '#server/runtime/testing/runtime-room.ts'
import { ledgerDigest, OF_THIS_MACHINE } from './testing/gateway.ts'
import { holdStill, type WholeGateway, wholeGateway } from './testing/whole-gateway.ts'

let whole: WholeGateway
let machine: Record<string, string>
let owner: Record<string, string>
let operator: Record<string, string>
beforeAll(async () => {
  whole = await wholeGateway()
  const JSON_TYPE = { 'content-type': 'application/json' }
  machine = { ...OF_THIS_MACHINE, ...JSON_TYPE, 'x-runtime-api-key': whole.services.env.RUNTIME_API_KEY }
  const sessions = [
    await whole.open({ via: 'api' }),
    await whole.open({ role: 'operator', identity: 'operator:olena' }),
  ]
  for (const { sid } of sessions) await holdStill(whole, sid)
  owner = await whole.bearer(sessions[0] as (typeof sessions)[number])
  operator = await whole.bearer(sessions[1] as (typeof sessions)[number])
})
afterAll(() => whole?.close())
// A hundred requests a minute are fewer than these tests send.
beforeEach(async () => {
  await whole.services.db.query(sql`DELETE FROM rate_slice`)
})

type Options = { headers?: Record<string, string> | undefined; raw?: string }
const call = async (at: string, body?: unknown, { headers = machine, raw }: Options = {}) => {
  const [method = 'GET', path = ''] = at.split(' ')
  const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const answer = await whole.app.request(path, {
    method,
    headers,
    ...(sent === undefined ? {} : { body: sent }),
  })
  const text = await answer.text()
  // biome-ignore lint/suspicious/noExplicitAny: answers of many routes are read by name
  const json = (text === '' ? null : JSON.parse(text)) as any
  return { status: answer.status, headers: answer.headers, text, json }
}
const R = '/api/runtime'
const name = () => `w-${randomUUID().slice(0, 8)}`
const addWorker = async (more: object = {}) =>
  (
    await call(`POST ${R}/workers`, {
      name: name(),
      url: 'http://127.0.0.1:1',
      capabilities: { max_concurrency: 4 },
      ...more,
    })
  ).json
const request = (more: object = {}) => ({
  context_id: 'c',
  agent_slug: 'writer',
  prompt: 'What is new?',
  ...more,
})
const addTask = async (more: object = {}) => (await call(`POST ${R}/llm-tasks`, request(more))).json
const leased = async (more: object = {}) => {
  const task = await addTask(more)
  const worker = await addWorker()
  const { json } = await call(`POST ${R}/llm-tasks/${task.id}/lease`, { worker_id: worker.id })
  return { task, worker, lease: json.lease }
}
const success = (output = 'Spring.', more: object = {}) => ({
  ...{ status: 'success', output, metrics: { duration_ms: 12.4, tokens_used: null } },
  ...more,
})

describe('tasks', () => {
  test('are created whole, with the defaults of the wire', async () => {
    const { status, json } = await call(`POST ${R}/llm-tasks`, request({ nobody_knows: 1 }))
    expect(status).toBe(201)
    expect(json).toMatchObject({
      ...{
        status: 'queued',
        attempts: 0,
        fence: 0,
        max_attempts: 3,
        desired_format: 'text',
        context_hints: [],
      },
      policy: {
        ...{ timeout_sec: 120, budget: 0, required_labels: [], preferred_labels: [], allow_fallback: true },
        retry: { backoff: 'exponential', base_delay_sec: 15, max_delay_sec: 300, jitter: true },
      },
    })
    expect(json.created_at).toBeGreaterThan(1e12)
    expect(json.nobody_knows).toBeUndefined()
  })

  test.each([
    ['no prompt', { prompt: '' }],
    ['a prompt of 513 KiB', { prompt: 'a'.repeat(513 * 1024) }],
    ['a slug that leads away', { agent_slug: '../../x' }],
    ['a slug like an option', { agent_slug: '-rf' }],
    ['65 hints', { context_hints: Array.from({ length: 65 }, () => 'a') }],
    ['no time', { policy: { timeout_sec: 0 } }],
    ['an hour and a second', { policy: { timeout_sec: 3_601 } }],
    ['a negative budget', { policy: { budget: -1 } }],
    ['a time as text', { policy: { timeout_sec: '120' } }],
    ['a priority as text', { priority: '1' }],
    ['no context', { context_id: '' }],
    ['eleven attempts', { max_attempts: 11 }],
    ['a format that is none', { desired_format: 'yaml' }],
  ])('are refused with %s', async (_, more) => {
    const before = await ledgerDigest(whole.services)
    const { status, json } = await call(`POST ${R}/llm-tasks`, request(more))
    expect(status).toBe(400)
    expect(Object.keys(json)).toEqual(['error'])
    expect(Object.keys(json.error)).toEqual(['formErrors', 'fieldErrors'])
    expect(await ledgerDigest(whole.services)).toBe(before)
  })

  test('have 512 KiB of prompt, and a body of 640 KiB is the most', async () => {
    expect((await call(`POST ${R}/llm-tasks`, request({ prompt: 'a'.repeat(512 * 1024) }))).status).toBe(201)
    const { status, json } = await call(`POST ${R}/llm-tasks`, request({ prompt: 'a'.repeat(641 * 1024) }))
    expect([status, json.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  })

  test('are one for one key, also when it comes as a header', async () => {
    const key = randomUUID()
    const headers = { ...machine, 'idempotency-key': key }
    const first = await call(`POST ${R}/llm-tasks`, request(), { headers })
    expect(first.status).toBe(201)
    const again = await call(`POST ${R}/llm-tasks`, request({ idempotency_key: key }))
    expect([again.status, again.json]).toEqual([
      409,
      { error: expect.any(String), code: 'DUPLICATE_ENTRY', task_id: first.json.id },
    ])
    const other = await call(`POST ${R}/llm-tasks`, request({ prompt: 'other' }), { headers })
    expect([other.status, other.json.code]).toEqual([409, 'IDEMPOTENCY_MISMATCH'])
    const long = await call(`POST ${R}/llm-tasks`, request(), {
      headers: { ...machine, 'idempotency-key': 'k'.repeat(129) },
    })
    expect(long.status).toBe(400)
  })

  test('are listed by page, read whole, and not found', async () => {
    const context_id = randomUUID()
    for (let n = 0; n < 3; n++) await addTask({ context_id, prompt: 'p'.repeat(600) })
    const first = await call(`GET ${R}/llm-tasks?context_id=${context_id}&limit=2`)
    expect(first.json).toHaveLength(2)
    expect(first.json[0].prompt).toHaveLength(500)
    const cursor = first.headers.get('x-next-cursor')
    const rest = await call(`GET ${R}/llm-tasks?context_id=${context_id}&limit=2&cursor=${cursor}`)
    expect([rest.json.length, rest.headers.get('x-next-cursor')]).toEqual([1, null])
    const whole = await call(`GET ${R}/llm-tasks/${first.json[0].id}`)
    expect(whole.json).toMatchObject({ prompt_bytes: 600, leases: [], history: [{ name: 'task.created' }] })
    for (const id of [randomUUID(), 'no-id', '../x'])
      expect((await call(`GET ${R}/llm-tasks/${encodeURIComponent(id)}`)).status).toBe(404)
    expect((await call(`GET ${R}/llm-tasks?limit=201`)).status).toBe(400)
    expect((await call(`GET ${R}/llm-tasks?cursor=x`)).status).toBe(400)
  })

  test('go from lease to artifact as existing nodes report: one empty heartbeat, no token counts', async () => {
    const { task, lease } = await leased()
    const below = `/lease/${lease.token}${R}/llm-tasks/${task.id}`
    const headers = { ...OF_THIS_MACHINE, 'content-type': 'application/json' }
    const beat = await call(`POST ${below}/heartbeat`, undefined, { headers, raw: '' })
    expect(beat.status).toBe(200)
    expect(beat.json.expires_at).toBe(beat.json.lease.expires_at)
    const done = await call(`POST ${below}/complete`, success(), { headers })
    expect(done.status).toBe(200)
    expect(done.json).toMatchObject({
      task: { status: 'completed' },
      artifact: { type: 'LLM_RESULT' },
      result: { status: 'success', output: 'Spring.', metrics: { duration_ms: 12, tokens_used: null } },
    })
    expect(await call(`POST ${below}/complete`, success(), { headers })).toMatchObject({
      status: 200,
      json: done.json,
    })
    expect((await call(`POST ${below}/complete`, success('Autumn.'), { headers })).status).toBe(409)
    const artifact = await whole.app.request(`/api/v1/artifacts/${done.json.artifact.id}`, { headers: owner })
    expect(await artifact.json()).toMatchObject({ content: { format: 'text', output: 'Spring.' } })
    expect((await call(`GET ${R}/artifacts?task_id=${task.id}`)).json).toHaveLength(1)
    const { json } = await call(`GET ${R}/llm-tasks/${task.id}`)
    expect(json.history.map((one: { name: string }) => one.name)).toEqual([
      ...['task.created', 'task.leased', 'task.started', 'task.completed'],
    ])
  })

  test('keep what a program prints, without what no text may hold', async () => {
    const { task, lease } = await leased()
    const body = success('a\u0000b\u001b[31mc')
    const done = await call(`POST ${R}/llm-tasks/${task.id}/complete`, {
      ...body,
      lease_id: lease.id,
      fence: lease.fence,
    })
    expect([done.status, done.json.result.output]).toEqual([200, 'ab\u001b[31mc'])
  })

  test.each<[string, object, number]>([
    ['a success without output', { status: 'success', metrics: { duration_ms: 1 } }, 400],
    ['a success with null', { status: 'success', output: null, metrics: { duration_ms: 1 } }, 400],
    ['an error without a message', { status: 'error', error_message: ' ' }, 400],
    ['a negative time', success('x', { metrics: { duration_ms: -1 } }), 400],
    ['half a token', success('x', { metrics: { duration_ms: 1, tokens_used: 1.5 } }), 400],
    ['1 MiB and a byte', success('a'.repeat(1024 * 1024 + 1)), 413],
    ['a body that is more', success('a'.repeat(1024 * 1024 + 70_000)), 413],
  ])('refuse a report with %s', async (_, body, status) => {
    const { task, lease } = await leased()
    const before = await ledgerDigest(whole.services)
    const answer = await call(`POST ${R}/llm-tasks/${task.id}/complete`, {
      ...body,
      lease_id: lease.id,
      fence: lease.fence,
    })
    expect(answer.status).toBe(status)
    expect(await ledgerDigest(whole.services)).toBe(before)
  })

  test('take JSON that is none for a failure of the attempt', async () => {
    const { task, lease } = await leased({ desired_format: 'json' })
    const done = await call(
      `POST ${R}/llm-tasks/${task.id}/complete`,
      success('no json', { lease_id: lease.id, fence: lease.fence }),
    )
    expect(done.json).toMatchObject({ task: { status: 'failed', error_code: 'parse_error' }, artifact: null })
  })

  test('refuse a lease that is not theirs, in any form, and change nothing', async () => {
    const [one, other] = [await leased(), await leased()]
    const foreign = [
      { ...machine, 'x-lease-token': other.lease.token },
      { ...machine, 'x-lease-token': one.lease.token.toUpperCase() },
      { ...machine, 'x-lease-token': 'x' },
      { ...OF_THIS_MACHINE, 'content-type': 'application/json', 'x-lease-token': other.lease.token },
    ]
    const before = await ledgerDigest(whole.services)
    for (const headers of foreign)
      for (const [what, body] of [
        ['heartbeat', {}],
        ['complete', success()],
      ] as const) {
        const answer = await call(`POST ${R}/llm-tasks/${one.task.id}/${what}`, body, { headers })
        expect([answer.status, answer.json.code]).toEqual([409, 'FENCE_STALE'])
      }
    for (const shown of [
      { lease_id: other.lease.id, fence: 1 },
      { lease_id: one.lease.id, fence: 2 },
    ]) {
      const answer = await call(`POST ${R}/llm-tasks/${one.task.id}/complete`, success('x', shown))
      expect([answer.status, answer.json.code]).toEqual([409, 'FENCE_STALE'])
    }
    expect(await ledgerDigest(whole.services)).toBe(before)
    const events = await eventsOf(whole.services.db, one.task.id)
    expect(events.filter((line) => line === 'lease.refused refused').length).toBe(10)
  })

  test('that were never leased, or are not there, have no heartbeat and no report', async () => {
    const task = await addTask()
    expect((await call(`POST ${R}/llm-tasks/${task.id}/heartbeat`)).status).toBe(404)
    expect((await call(`POST ${R}/llm-tasks/${task.id}/complete`, success())).status).toBe(409)
    for (const what of ['lease', 'heartbeat', 'requeue', 'cancel', 'dispatch'])
      expect((await call(`POST ${R}/llm-tasks/${randomUUID()}/${what}`, {})).status).toBe(404)
    expect(await call(`POST ${R}/llm-tasks/${randomUUID()}/complete`, success())).toMatchObject({
      status: 404,
      json: { error: 'Task not found' },
    })
  })

  test('are cancelled and requeued, with or without a reason', async () => {
    const { task, lease } = await leased()
    expect((await call(`POST ${R}/llm-tasks/${task.id}/requeue`)).status).toBe(409)
    const cancelled = await call(`POST ${R}/llm-tasks/${task.id}/cancel`, { reason: 'not needed' })
    expect(cancelled.json).toMatchObject({ status: 'failed', error_code: 'canceled', fence: 2 })
    const late = await call(
      `POST ${R}/llm-tasks/${task.id}/complete`,
      success('x', { lease_id: lease.id, fence: 1 }),
    )
    expect([late.status, late.json.code]).toEqual([409, 'FENCE_STALE'])
    expect((await call(`POST ${R}/llm-tasks/${task.id}/cancel`)).json.code).toBe('INVALID_TRANSITION')
    expect((await call(`POST ${R}/llm-tasks/${task.id}/requeue`)).json).toMatchObject({
      status: 'queued',
      attempts: 0,
    })
  })

  test('say which workers there were when none could take them', async () => {
    const task = await addTask({ policy: { required_labels: ['nobody-has-this'] } })
    const { status, json } = await call(`POST ${R}/llm-tasks/${task.id}/lease`, {})
    expect([status, json.error, json.code]).toEqual([
      503,
      'No available worker with free capacity',
      'NO_WORKER',
    ])
    expect((await call(`POST ${R}/llm-tasks/${task.id}/lease`, { ttl_seconds: 29 })).status).toBe(400)
  })
})

describe('workers', () => {
  test('are one by their name, and keep everything that they say', async () => {
    const said = {
      ...{
        name: name(),
        url: 'http://orange.lan:8001/',
        status: 'online',
        agent_version: '0.5',
        os_info: 'Linux',
        install_method: 'curl',
      },
      capabilities: {
        claude_cli: true,
        max_concurrency: 2,
        labels: ['uk'],
        features: { context_hints: true },
      },
      ip_addrs: ['192.0.2.4'],
    }
    const first = await call(`POST ${R}/workers`, said)
    expect([first.status, first.json]).toMatchObject([
      201,
      {
        ...{ url: 'http://orange.lan:8001', status: 'online', agent_version: '0.5', ip_addrs: ['192.0.2.4'] },
        capabilities: said.capabilities,
      },
    ])
    const again = await call(`POST ${R}/workers`, { name: said.name, status: 'unknown', url: null })
    expect([again.status, again.json]).toMatchObject([
      200,
      { id: first.json.id, status: 'online', capabilities: said.capabilities },
    ])
    expect((await call(`GET ${R}/workers/${first.json.id}`)).json).toMatchObject({
      leases: [],
      last_selections: [],
    })
    expect((await call(`GET ${R}/workers`)).json.map((one: { id: string }) => one.id)).toContain(
      first.json.id,
    )
    expect((await call(`GET ${R}/workers/${randomUUID()}`)).status).toBe(404)
  })

  test.each([
    ['two lines of name', { name: 'a\nb' }],
    ['no name', { name: ' ' }],
    ['a file', { url: 'file:///etc/passwd' }],
    ['a script', { url: 'javascript:alert(1)' }],
    ['a password', { url: 'http://me:secret@orange:8001' }],
    ['room for none', { capabilities: { max_concurrency: 0 } }],
    ['room for 33', { capabilities: { max_concurrency: 33 } }],
    ['no capabilities at all, but a number', { capabilities: 1 }],
  ])('are refused with %s', async (_, more) => {
    const before = await ledgerDigest(whole.services)
    expect((await call(`POST ${R}/workers`, { name: name(), ...more })).status).toBe(400)
    expect(await ledgerDigest(whole.services)).toBe(before)
  })

  test('get nothing while they are drained, and are removed by the owner alone', async () => {
    const { task, worker, lease } = await leased()
    const path = `${R}/workers/${worker.id}`
    expect((await call(`POST ${path}/drain`, { drain: true, reason: 'r' })).status).toBe(403)
    const drained = await call(
      `POST ${path}/drain`,
      { drain: true, reason: 'new disk' },
      { headers: operator },
    )
    expect(drained.json).toMatchObject({ drain_reason: 'new disk' })
    const other = await addTask()
    expect(
      (await call(`POST ${R}/llm-tasks/${other.id}/lease`, { worker_id: worker.id })).json,
    ).toMatchObject({
      filtered: { drained: 1 },
    })
    expect((await call(`DELETE ${path}`, undefined, { headers: operator })).status).toBe(403)
    expect((await call(`DELETE ${path}`, undefined, { headers: owner })).status).toBe(409)
    expect((await call(`DELETE ${path}?force`, undefined, { headers: owner })).json).toEqual({
      removed: true,
      id: worker.id,
    })
    expect((await call(`GET ${R}/llm-tasks/${task.id}`)).json).toMatchObject({
      status: 'queued',
      error_code: 'worker_crash',
    })
    const late = await call(
      `POST ${R}/llm-tasks/${task.id}/complete`,
      success('x', { lease_id: lease.id, fence: 1 }),
    )
    expect(late.json.code).toBe('FENCE_STALE')
    expect((await call(`DELETE ${path}`, undefined, { headers: owner })).status).toBe(404)
  })
})

describe('who may call', () => {
  const anonymous = { 'content-type': 'application/json' }
  test('nobody without a key or a session, and no machine with a wrong one', async () => {
    for (const headers of [
      anonymous,
      { ...machine, 'x-runtime-api-key': 'x' },
      { ...OF_THIS_MACHINE, 'x-membridge-agent': 'gbk_x' },
    ])
      for (const at of [
        `GET ${R}/llm-tasks`,
        `POST ${R}/llm-tasks`,
        `POST ${R}/workers`,
        'POST /api/jobs/lease',
      ]) {
        const answer = await call(at, at.startsWith('GET') ? undefined : {}, { headers })
        expect([at, answer.status, answer.json]).toEqual([at, 401, { error: 'Unauthorized' }])
      }
    const health = await call(`GET ${R}/health`, undefined, { headers: anonymous })
    expect(health.json).toMatchObject({ status: 'ok', service: 'bloom-runtime', storage: 'postgresql' })
  })

  test('a key is not looked at over a network in clear', async () => {
    const headers = { ...machine, 'x-garden-peer': '192.0.2.9' }
    expect((await call(`GET ${R}/llm-tasks`, undefined, { headers })).status).toBe(403)
  })

  test('older clients by the older name of the header, people by their session', async () => {
    const { 'x-runtime-api-key': key, ...rest } = machine
    for (const headers of [{ ...rest, 'x-bloom-api-key': key as string }, owner, operator])
      expect((await call(`GET ${R}/stats`, undefined, { headers })).status).toBe(200)
  })

  test('a node under its own key: for itself, and nothing else', async () => {
    const own = name()
    const made = await whole.services.db.transaction((tx) =>
      makeKey(
        tx,
        { kind: 'node', node_id: own, name: 'k', expires_in_days: null },
        { role: 'owner', identity: 'owner', via: 'console' },
      ),
    )
    if (!made.ok) throw new Error(made.refusal.message)
    const headers = {
      ...OF_THIS_MACHINE,
      'content-type': 'application/json',
      'x-membridge-agent': made.value.secret,
    }
    const as = (at: string, body?: unknown) => call(at, body, { headers })
    expect((await as(`POST ${R}/workers`, { name: 'another' })).status).toBe(403)
    expect((await as(`POST ${R}/workers`, { name: own, capabilities: { max_concurrency: 2 } })).status).toBe(
      201,
    )
    const { task, lease } = await leased()
    expect(
      (await as(`POST ${R}/llm-tasks/${task.id}/complete`, success('x', { lease_id: lease.id, fence: 1 })))
        .json.code,
    ).toBe('FENCE_STALE')
    expect((await as(`GET ${R}/llm-tasks`)).status).toBe(403)
    expect((await as(`POST ${R}/llm-tasks`, request())).status).toBe(403)
    await whole.services.db.query(
      sql`UPDATE llm_task SET not_before = clock_timestamp() + interval '1 hour' WHERE status = 'queued'`,
    )
    expect((await as('POST /api/jobs/lease', { jobTypes: ['llm_task'] })).status).toBe(204)
    const mine = await addTask()
    const fetched = await as('POST /api/jobs/lease', { wait_ms: 0 })
    expect(fetched.json).toMatchObject({
      job: { task_id: mine.id, prompt: 'What is new?' },
      fence: 1,
      heartbeat_seconds: 10,
    })
    expect(fetched.json.job.runtime_url).toContain(`/lease/${fetched.json.token}`)
    const { leaseId, fence } = fetched.json
    const renewed = await as(`POST /api/jobs/${mine.id}/lease/renew`, {
      leaseId,
      fence,
      progress: { phase: 'running', tail: 'half\n' },
    })
    expect(renewed.json).toEqual({ leaseUntil: expect.any(Number), leaseSeconds: expect.any(Number) })
    const done = await as(`POST /api/jobs/${mine.id}/lease/complete`, {
      leaseId,
      fence,
      ...success(),
      status: 'succeeded',
    })
    expect(done.json).toMatchObject({ task: { status: 'completed' } })
    expect((await as(`POST /api/jobs/${mine.id}/lease/renew`, { leaseId, fence })).status).toBe(409)
    const failed = await as(`POST /api/jobs/${mine.id}/lease/complete`, {
      leaseId,
      fence,
      status: 'succeeded',
    })
    expect(failed.status).toBe(400)
  })

  test('an identity a hundred times a minute, reports of held leases not counted', async () => {
    const { bearer, open } = whole
    const headers = await bearer(await open({ role: 'operator', identity: 'operator:busy' }))
    for (let n = 0; n < 100; n++)
      expect((await call(`GET ${R}/health`, undefined, { headers })).status).toBe(200)
    const last = []
    for (let n = 0; n < 101; n++) last.push(await call(`GET ${R}/workers/x`, undefined, { headers }))
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
    const { task, lease } = await leased()
    const below = `/lease/${lease.token}`
    for (const path of [
      '',
      '/',
      `${R}/llm-tasks`,
      `${R}/llm-tasks/${task.id}`,
      `${R}/llm-tasks/${task.id}/requeue`,
      '/api/v1/jobs',
    ]) {
      const answer = await call(`POST ${below}${path}`, {}, { headers: OF_THIS_MACHINE })
      expect([path, answer.status]).toEqual([path, 404])
      expect(answer.text + JSON.stringify([...answer.headers])).not.toContain(lease.token)
    }
    await call(`POST ${below}${R}/llm-tasks/${task.id}/complete`, {}, { headers: OF_THIS_MACHINE })
    const { json } = await call(`GET ${R}/llm-tasks/${task.id}`)
    expect(JSON.stringify(json)).not.toContain(lease.token)
    const { rows } = await whole.services.db.query(
      sql`SELECT 1 FROM event WHERE event::text LIKE ${`%${lease.token}%`}`,
    )
    expect(rows).toEqual([])
  })
})
