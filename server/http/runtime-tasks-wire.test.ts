/** LLM Tasks over HTTP: created, listed, cancelled and requeued, and what a refusal leaves behind: nothing. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { taskView } from '#contracts/llm-task.contract.ts'
import { ledgerDigest } from './testing/gateway.ts'
import { openRuntimeWire, R, type RuntimeWire, success, taskOf } from './testing/runtime-wire.ts'

let wire: RuntimeWire
beforeAll(async () => {
  wire = await openRuntimeWire()
})
afterAll(() => wire?.close())
beforeEach(() => wire.forgetRequests())

describe('tasks', () => {
  test('are created whole, with the defaults of the wire', async () => {
    const { status, json } = await wire.call(`POST ${R}/llm-tasks`, taskOf({ nobody_knows: 1 }))
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
    expect(taskView.parse(json).created_at).toBeGreaterThan(1e12)
    expect(json).not.toHaveProperty('nobody_knows')
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
    const before = await ledgerDigest(wire.whole.services)
    const { status, json } = await wire.call(`POST ${R}/llm-tasks`, taskOf(more))
    expect(status).toBe(400)
    expect(json).toEqual({ error: { formErrors: expect.any(Array), fieldErrors: expect.any(Object) } })
    expect(await ledgerDigest(wire.whole.services)).toBe(before)
  })

  test('have 512 KiB of prompt, and a body of 640 KiB is the most', async () => {
    const longest = taskOf({ prompt: 'a'.repeat(512 * 1024) })
    expect((await wire.call(`POST ${R}/llm-tasks`, longest)).status).toBe(201)
    const longer = taskOf({ prompt: 'a'.repeat(641 * 1024) })
    const { status, code } = await wire.call(`POST ${R}/llm-tasks`, longer)
    expect([status, code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  })

  test('are one for one key, also when it comes as a header', async () => {
    const key = randomUUID()
    const headers = { ...wire.machine, 'idempotency-key': key }
    const first = await wire.call(`POST ${R}/llm-tasks`, taskOf(), { headers })
    expect(first.status).toBe(201)
    const again = await wire.call(`POST ${R}/llm-tasks`, taskOf({ idempotency_key: key }))
    expect([again.status, again.json]).toEqual([
      409,
      { error: expect.any(String), code: 'DUPLICATE_ENTRY', task_id: taskView.parse(first.json).id },
    ])
    const other = await wire.call(`POST ${R}/llm-tasks`, taskOf({ prompt: 'other' }), { headers })
    expect([other.status, other.code]).toEqual([409, 'IDEMPOTENCY_MISMATCH'])
    const long = await wire.call(`POST ${R}/llm-tasks`, taskOf(), {
      headers: { ...wire.machine, 'idempotency-key': 'k'.repeat(129) },
    })
    expect(long.status).toBe(400)
  })

  test('are listed by page, read whole, and not found', async () => {
    const context_id = randomUUID()
    for (let n = 0; n < 3; n++) await wire.addTask({ context_id, prompt: 'p'.repeat(600) })
    const page = `GET ${R}/llm-tasks?context_id=${context_id}&limit=2`
    const first = await wire.call(page)
    const listed = z.array(taskView).parse(first.json)
    expect(listed).toHaveLength(2)
    expect(listed[0]?.prompt).toHaveLength(500)
    const rest = await wire.call(`${page}&cursor=${first.headers.get('x-next-cursor')}`)
    expect(rest.json).toHaveLength(1)
    expect(rest.headers.get('x-next-cursor')).toBeNull()
    const { json } = await wire.call(`GET ${R}/llm-tasks/${listed[0]?.id}`)
    expect(json).toMatchObject({ prompt_bytes: 600, leases: [], history: [{ name: 'task.created' }] })
    for (const id of [randomUUID(), 'no-id', '../x'])
      expect((await wire.call(`GET ${R}/llm-tasks/${encodeURIComponent(id)}`)).status).toBe(404)
    expect((await wire.call(`GET ${R}/llm-tasks?limit=201`)).status).toBe(400)
    expect((await wire.call(`GET ${R}/llm-tasks?cursor=x`)).status).toBe(400)
  })

  test('are cancelled and requeued, with or without a reason', async () => {
    const { task, lease } = await wire.leased()
    const at = `POST ${R}/llm-tasks/${task.id}`
    expect((await wire.call(`${at}/requeue`)).status).toBe(409)
    const cancelled = await wire.call(`${at}/cancel`, { reason: 'not needed' })
    expect(cancelled.json).toMatchObject({ status: 'failed', error_code: 'canceled', fence: 2 })
    const late = await wire.call(`${at}/complete`, success('x', { lease_id: lease.id, fence: 1 }))
    expect([late.status, late.code]).toEqual([409, 'FENCE_STALE'])
    expect((await wire.call(`${at}/cancel`)).code).toBe('INVALID_TRANSITION')
    expect((await wire.call(`${at}/requeue`)).json).toMatchObject({ status: 'queued', attempts: 0 })
  })

  test('say which workers there were when none could take them', async () => {
    const task = await wire.addTask({ policy: { required_labels: ['nobody-has-this'] } })
    const { status, json } = await wire.call(`POST ${R}/llm-tasks/${task.id}/lease`, {})
    expect([status, json]).toMatchObject([
      503,
      { error: 'No available worker with free capacity', code: 'NO_WORKER' },
    ])
    const brief = await wire.call(`POST ${R}/llm-tasks/${task.id}/lease`, { ttl_seconds: 29 })
    expect(brief.status).toBe(400)
  })
})
