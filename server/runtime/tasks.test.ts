import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { taskRequest } from '#contracts/llm-task.contract.ts'
import { OWNER } from '#server/jobs/testing/queue-room.ts'
import { getVerified } from '#server/ports/object-store.ts'
import { beatTask } from './beat-task.ts'
import { createTask } from './create-task.ts'
import { handBack, reapTaskLeases } from './end-lease.ts'
import { leaseTask } from './lease-task.ts'
import { cancelTask, requeueTask } from './operate-task.ts'
import { retryTasks } from './retry-tasks.ts'
import { RUNTIME } from './runtime-rows.ts'
import {
  addTask,
  addWorker,
  completed,
  eventsOf,
  failure,
  lease,
  MACHINE,
  NOTHING,
  openRuntimeRoom,
  passDelay,
  type RuntimeRoom,
  report,
  runOut,
  shownBy,
  success,
  taskLine,
} from './testing/runtime-room.ts'

/** `LEASE_ROUNDS=1000` is the whole programme. */
const ROUNDS = Number(process.env.LEASE_ROUNDS ?? 20)

let room: RuntimeRoom
beforeAll(async () => {
  room = await openRuntimeRoom()
})
afterAll(() => room?.close())

const worker = (more: Parameters<typeof addWorker>[2] = {}) =>
  addWorker(room.db, `w-${randomUUID().slice(0, 8)}`, more)
const beat = (taskId: string, shown: Parameters<typeof beatTask>[1]['shown'], more: object = {}) =>
  beatTask(room, { taskId, shown, ...more }, MACHINE)

describe('creating', () => {
  const request = (more: object = {}) =>
    taskRequest.parse({ context_id: 'c', agent_slug: 'writer', prompt: 'p', ...more })
  const made = async (more: object, caller = MACHINE) => createTask(room.db, request(more), caller)

  it('answers a repeat by the state of the first', async () => {
    const key = randomUUID()
    const first = await made({ idempotency_key: key })
    if (!first.ok) throw new Error(first.refusal.message)
    const { id } = first.value.task
    expect(await made({ idempotency_key: key })).toMatchObject({
      refusal: { code: 'DUPLICATE_ENTRY', details: { task_id: id } },
    })
    expect(await made({ idempotency_key: key, prompt: 'other' })).toMatchObject({
      refusal: { code: 'IDEMPOTENCY_MISMATCH' },
    })
    expect(await made({ idempotency_key: key }, OWNER)).toMatchObject({ value: { created: true } })
    await worker()
    await completed(room, await lease(room.db, id), success())
    expect(await made({ idempotency_key: key })).toMatchObject({ value: { created: false, task: { id } } })
  })

  it('makes room for another one after an end without an answer', async () => {
    const key = randomUUID()
    const first = await made({ idempotency_key: key })
    if (!first.ok) throw new Error(first.refusal.message)
    await cancelTask(room.db, { taskId: first.value.task.id, reason: 'no' }, OWNER)
    const second = await made({ idempotency_key: key })
    expect(second).toMatchObject({ value: { created: true } })
    expect(await requeueTask(room.db, { taskId: first.value.task.id, reason: 'yes' }, OWNER)).toMatchObject({
      ok: true,
      value: { idempotency_key: null },
    })
  })

  it('of twenty with one key at once makes one', async () => {
    const key = randomUUID()
    const all = await Promise.all(Array.from({ length: 20 }, () => made({ idempotency_key: key })))
    expect(all.filter((one) => one.ok && one.value.created)).toHaveLength(1)
    expect(all.filter((one) => !one.ok && one.refusal.code === 'DUPLICATE_ENTRY')).toHaveLength(19)
  })
})

describe('leasing', () => {
  it('gives a task to one of twenty that ask at once', { timeout: 900_000 }, async () => {
    await Promise.all(Array.from({ length: 5 }, () => worker({ max: 4 })))
    for (let round = 0; round < ROUNDS; round++) {
      const id = await addTask(room.db)
      const all = await Promise.all(
        Array.from({ length: 20 }, () => leaseTask(room.db, { taskId: id }, RUNTIME)),
      )
      expect(all.filter((one) => one.ok)).toHaveLength(1)
      const [granted] = all.flatMap((one) => (one.ok ? [one.value] : []))
      await completed(room, granted as NonNullable<typeof granted>, success())
    }
    const { rows } = await room.db.query(sql`SELECT worker_id FROM worker_node w
      WHERE active_leases <> (SELECT count(*) FROM task_lease l WHERE l.worker_id = w.worker_id AND l.status = 'active')`)
    expect(rows).toEqual([])
  })

  it('never gives a worker more than it takes, whoever asks', async () => {
    const only = await worker({ max: 3 })
    const ids = await Promise.all(Array.from({ length: 10 }, () => addTask(room.db)))
    const all = await Promise.all(
      ids.map((taskId) => leaseTask(room.db, { taskId, workerId: only }, RUNTIME)),
    )
    expect(all.filter((one) => one.ok)).toHaveLength(3)
    expect(all.filter((one) => !one.ok && one.refusal.code === 'NO_WORKER')).toHaveLength(7)
    const waiting = ids.find((_, n) => all[n]?.ok === false)
    await expect(
      room.db.query(sql`INSERT INTO task_lease (lease_id, status, task_id, worker_id, context_id, fence, token_hash, ttl_seconds, timeout_sec, selection, expires_at)
        VALUES (${randomUUID()}, 'active', ${waiting}, ${only}, 'c', 99, ${Buffer.from(randomUUID())}, 30, 30, '{}', now())`),
    ).rejects.toMatchObject({ code: '23514', constraint: 'task_lease_room' })
    for (const one of all) if (one.ok) await completed(room, one.value, success())
  })

  it('keeps why nobody takes it, and says 503', async () => {
    const id = await addTask(room.db, { policy: { required_labels: ['nobody-has-this'] } })
    expect(await leaseTask(room.db, { taskId: id }, RUNTIME)).toMatchObject({
      refusal: { code: 'NO_WORKER' },
    })
    const task = await taskLine(room.db, id)
    expect(task).toMatchObject({ status: 'queued', wait_reason: 'no_worker', attempts: 0, fence: 0 })
    expect(task.selection?.filtered).toHaveProperty('labels')
  })

  it('refuses a task that is not there or not queued', async () => {
    expect(await leaseTask(room.db, { taskId: randomUUID() }, RUNTIME)).toMatchObject({
      refusal: { code: 'NOT_FOUND' },
    })
    await worker()
    const id = await addTask(room.db)
    const granted = await lease(room.db, id)
    expect(await leaseTask(room.db, { taskId: id }, RUNTIME)).toMatchObject({
      refusal: { code: 'INVALID_TRANSITION' },
    })
    await completed(room, granted, success())
  })
})

describe('a heartbeat', () => {
  it('starts the task, and puts the end of its lease off, but not for ever', async () => {
    await worker()
    const id = await addTask(room.db, { policy: { timeout_sec: 60 } })
    const granted = await lease(room.db, id)
    const first = await beat(id, shownBy(granted))
    expect(first).toMatchObject({ ok: true, value: { lease: { status: 'active' } } })
    expect((await taskLine(room.db, id)).status).toBe('running')
    await room.db.query(
      sql`UPDATE task_lease SET started_at = started_at - interval '80 seconds' WHERE lease_id = ${granted.lease.id}`,
    )
    const late = await beat(id, shownBy(granted))
    if (!late.ok) throw new Error(late.refusal.message)
    expect(late.value.expires_at - late.value.lease.started_at).toBe(90_000)
    await completed(room, granted, success())
    expect(await eventsOf(room.db, id)).toEqual([
      'task.created',
      'task.leased',
      'task.started',
      'task.completed',
    ])
  })

  it('keeps the end of what the node printed, without secrets', async () => {
    await worker()
    const id = await addTask(room.db)
    const granted = await lease(room.db, id)
    for (let n = 0; n < 20; n++)
      await beat(id, shownBy(granted), { progress: { phase: 'running', tail: `${n} ${'ї'.repeat(2_000)}` } })
    await beat(id, shownBy(granted), { progress: { tail: 'postgresql://me:hunter22@db/x\n' } })
    const { rows } = await room.db.query<{ tail: string; progress: unknown }>(
      sql`SELECT tail, progress FROM task_attempt WHERE lease_id = ${granted.lease.id}`,
    )
    expect(Buffer.byteLength(rows[0]?.tail ?? '')).toBeLessThanOrEqual(65_536)
    expect(rows[0]?.tail).toContain('19 ')
    expect(rows[0]?.tail).not.toContain('hunter2')
    await completed(room, granted, success())
  })

  it('is refused under a lease that has run out, is over, or is another task’s', async () => {
    await worker({ max: 2 })
    const [id, other] = [await addTask(room.db), await addTask(room.db)]
    const [granted, foreign] = [await lease(room.db, id), await lease(room.db, other)]
    const stale = { ok: false, refusal: { code: 'FENCE_STALE' } }
    expect(await beat(id, shownBy(foreign))).toMatchObject(stale)
    expect(await beat(id, { ...shownBy(granted), token: granted.token.toUpperCase() })).toMatchObject(stale)
    await runOut(room.db, granted.lease.id)
    expect(await beat(id, shownBy(granted))).toMatchObject(stale)
    await reapTaskLeases(room)
    expect(await beat(id, shownBy(granted))).toMatchObject(stale)
    expect(await report(room, id, shownBy(granted), success())).toMatchObject(stale)
    expect(await taskLine(room.db, id)).toMatchObject({ status: 'queued', attempts: 1, fence: 1 })
    const refused = (await eventsOf(room.db, id)).filter((line) => line === 'lease.refused refused')
    expect(refused).toHaveLength(5)
    await completed(room, foreign, success())
  })

  it('without any lease counts while it cannot be a late one', async () => {
    const home = await worker({ ip: '192.0.2.7' })
    const away = await worker({ ip: '192.0.2.8' })
    const id = await addTask(room.db)
    await lease(room.db, id, home)
    expect(await beat(id, NOTHING)).toMatchObject({ ok: true })
    const running = await room.db.query<{ lease_id: string }>(
      sql`SELECT lease_id FROM task_lease WHERE task_id = ${id} AND status = 'active'`,
    )
    await runOut(room.db, running.rows[0]?.lease_id ?? '')
    await reapTaskLeases(room)
    const again = await lease(room.db, id, away)
    expect(await beat(id, NOTHING)).toMatchObject({ refusal: { code: 'FENCE_STALE' } })
    expect(await beat(id, { ...NOTHING, address: '192.0.2.7' })).toMatchObject({
      refusal: { code: 'FENCE_STALE' },
    })
    expect(await beat(id, { ...NOTHING, address: '192.0.2.8' })).toMatchObject({ ok: true })
    const strict = { ...room, env: { RUNTIME_REQUIRE_LEASE: true } }
    expect(
      await beatTask(strict, { taskId: id, shown: { ...NOTHING, address: '192.0.2.8' } }, MACHINE),
    ).toMatchObject({ refusal: { code: 'FENCE_STALE' } })
    await completed(room, again, success())
  })
})

describe('a completion', () => {
  it('keeps the bare answer in one artifact, and answers a repeat alike', async () => {
    await worker()
    const id = await addTask(room.db, { desired_format: 'json' })
    const granted = await lease(room.db, id)
    const envelope = JSON.stringify({
      ...{ type: 'result', is_error: false, result: '```json\n{"a":1}\n```' },
      usage: { input_tokens: 3, output_tokens: 4 },
    })
    const done = await completed(room, granted, success(envelope))
    expect(done).toMatchObject({
      task: { status: 'completed', artifact_id: `art-${granted.lease.id}` },
      result: { status: 'success', output: '{"a":1}', metrics: { tokens_used: 7 } },
      artifact: { type: 'LLM_RESULT', task_id: id },
    })
    expect(await completed(room, granted, success(envelope))).toEqual(done)
    const other = await report(room, id, shownBy(granted), success('{"a":2}'))
    expect(other).toMatchObject({ refusal: { code: 'INVALID_TRANSITION' } })
    const { rows } = await room.db.query<{ object_key: string; content_sha256: string }>(
      sql`SELECT object_key, content_sha256 FROM artifact WHERE task_id = ${id}`,
    )
    expect(rows).toHaveLength(1)
    const [row] = rows as [(typeof rows)[number]]
    const bytes = await getVerified(room.store, row.object_key, row.content_sha256)
    expect(JSON.parse(Buffer.from(bytes as Uint8Array).toString()).content).toMatchObject({
      format: 'json',
      output: '{"a":1}',
    })
  })

  it('of ten at once makes one artifact', async () => {
    await worker()
    const id = await addTask(room.db)
    const granted = await lease(room.db, id)
    const all = await Promise.all(
      Array.from({ length: 10 }, () => report(room, id, shownBy(granted), success('one'))),
    )
    expect(all.filter((one) => one.ok).length).toBeGreaterThan(0)
    expect((await completed(room, granted, success('one'))).result.output).toBe('one')
    const { rows } = await room.db.query(sql`SELECT 1 FROM artifact WHERE task_id = ${id}`)
    expect(rows).toHaveLength(1)
  })

  it('that is an error fails the attempt by the matrix, without an artifact', async () => {
    const one = await worker()
    const id = await addTask(room.db, { max_attempts: 2 })
    await completed(room, await lease(room.db, id, one), failure('the provider is overloaded'))
    const waiting = await taskLine(room.db, id)
    expect(waiting).toMatchObject({
      status: 'failed',
      error_code: 'provider_error',
      attempts: 1,
      ended_at: null,
    })
    expect(waiting.retry_at).not.toBeNull()
    expect(await retryTasks(room)).toBe(0)
    await passDelay(room.db, id)
    expect(await retryTasks(room)).toBe(1)
    await completed(room, await lease(room.db, id, one), failure('the provider is overloaded'))
    expect(await taskLine(room.db, id)).toMatchObject({ status: 'dead', artifact_id: null, attempts: 2 })
    expect(await eventsOf(room.db, id)).toEqual([
      ...[
        'task.created',
        'task.leased',
        'task.failed',
        'task.queued',
        'task.leased',
        'task.failed',
        'task.dead',
      ],
    ])
    expect(await requeueTask(room.db, { taskId: id, reason: 'try again' }, OWNER)).toMatchObject({
      value: { status: 'queued', attempts: 0 },
    })
  })

  it('for a budget that is used up is final at once', async () => {
    const one = await worker()
    const id = await addTask(room.db)
    await completed(
      room,
      await lease(room.db, id, one),
      failure('too many tokens', { error_code: 'budget_exceeded' }),
    )
    expect(await taskLine(room.db, id)).toMatchObject({
      status: 'failed',
      error_code: 'budget_exceeded',
      retry_at: null,
    })
  })

  it('for a rate limit rests that worker, and only it', async () => {
    const [one, other] = [await worker(), await worker()]
    const id = await addTask(room.db)
    await completed(room, await lease(room.db, id, one), failure('429 rate limit', { retry_after: 120 }))
    const { retry_at, updated_at } = await taskLine(room.db, id)
    expect((retry_at?.getTime() ?? 0) - updated_at.getTime()).toBeGreaterThan(110_000)
    await passDelay(room.db, id)
    await retryTasks(room)
    expect(await leaseTask(room.db, { taskId: id, workerId: one }, RUNTIME)).toMatchObject({
      refusal: { code: 'NO_WORKER', details: { filtered: { rate_limited: 1 } } },
    })
    await completed(room, await lease(room.db, id, other), success())
  })
})

describe('a lease that ends without an answer', () => {
  it('gives the task to another worker, or buries it', async () => {
    const [one, other] = [await worker({ labels: ['pair'] }), await worker({ labels: ['pair'] })]
    const id = await addTask(room.db, { max_attempts: 2, policy: { required_labels: ['pair'] } })
    const first = await lease(room.db, id, one)
    await beat(id, shownBy(first))
    await runOut(room.db, first.lease.id)
    expect(await reapTaskLeases(room)).toBe(1)
    expect(await taskLine(room.db, id)).toMatchObject({ status: 'queued', excluded_worker_id: one })
    const second = await lease(room.db, id)
    expect(second.workerId).toBe(other)
    await runOut(room.db, second.lease.id)
    await reapTaskLeases(room)
    expect(await taskLine(room.db, id)).toMatchObject({
      status: 'dead',
      error_code: 'worker_crash',
      attempts: 2,
    })
  })

  it('costs no attempt when the node certainly did not take it', async () => {
    const one = await worker()
    const id = await addTask(room.db, { max_attempts: 1 })
    const granted = await lease(room.db, id, one)
    expect(await handBack(room.db, granted.lease.id, { message: 'connection refused' })).toBe(true)
    expect(await taskLine(room.db, id)).toMatchObject({ status: 'queued', attempts: 0, fence: 1 })
    expect(await handBack(room.db, granted.lease.id, { message: 'connection refused' })).toBe(false)
    await passDelay(room.db, id)
    const again = await lease(room.db, id, one)
    await beat(id, shownBy(again))
    expect(await handBack(room.db, again.lease.id, { message: 'late' })).toBe(false)
    expect(await taskLine(room.db, id)).toMatchObject({ status: 'running', attempts: 1, fence: 2 })
    await completed(room, again, success())
  })
})

describe('cancelling', () => {
  it('is final, takes the lease, and is refused once the task has ended', async () => {
    const one = await worker()
    const id = await addTask(room.db)
    const granted = await lease(room.db, id, one)
    const cancel = () => cancelTask(room.db, { taskId: id, reason: 'not needed' }, OWNER)
    expect(await cancel()).toMatchObject({ value: { status: 'failed', error_code: 'canceled', fence: 2 } })
    expect(await report(room, id, shownBy(granted), success())).toMatchObject({
      refusal: { code: 'FENCE_STALE' },
    })
    expect(await cancel()).toMatchObject({ refusal: { code: 'INVALID_TRANSITION' } })
    const { rows } = await room.db.query(sql`SELECT active_leases FROM worker_node WHERE worker_id = ${one}`)
    expect(rows).toEqual([{ active_leases: 0 }])
  })

  it('wins or loses against a lease as a whole', async () => {
    const one = await worker({ max: 30 })
    for (let round = 0; round < 30; round++) {
      const id = await addTask(room.db)
      await Promise.all([
        leaseTask(room.db, { taskId: id, workerId: one }, RUNTIME),
        cancelTask(room.db, { taskId: id, reason: 'no' }, OWNER),
      ])
      expect(await taskLine(room.db, id)).toMatchObject({ status: 'failed', error_code: 'canceled' })
    }
    const { rows } = await room.db.query(sql`SELECT active_leases FROM worker_node WHERE worker_id = ${one}`)
    expect(rows).toEqual([{ active_leases: 0 }])
  })
})

describe('the breaker', () => {
  const breakerOf = async (id: string) =>
    (
      await room.db.query(
        sql`SELECT state, failures, cooldown_seconds FROM worker_breaker WHERE worker_id = ${id}`,
      )
    ).rows[0]
  const cool = (id: string) =>
    room.db.query(
      sql`UPDATE worker_breaker SET open_until = clock_timestamp() - interval '1 second' WHERE worker_id = ${id} AND state = 'open'`,
    )
  const failsAt = async (id: string) => {
    const taskId = await addTask(room.db, { max_attempts: 1 })
    await completed(room, await lease(room.db, taskId, id), failure('HTTP 500'))
  }

  it('opens after three failures, lets one task try, and closes with an answer', async () => {
    const one = await worker({ max: 4 })
    for (let n = 0; n < 3; n++) await failsAt(one)
    expect(await breakerOf(one)).toEqual({ state: 'open', failures: 3, cooldown_seconds: 60 })
    const [id, more] = [await addTask(room.db), await addTask(room.db)]
    const asked = (taskId: string) => leaseTask(room.db, { taskId, workerId: one }, RUNTIME)
    expect(await asked(id)).toMatchObject({ refusal: { details: { filtered: { breaker_open: 1 } } } })
    expect(await taskLine(room.db, id)).toMatchObject({ status: 'queued', attempts: 0 })
    await cool(one)
    const granted = await Promise.all([asked(id), asked(more)])
    expect(granted.filter((one) => one.ok)).toHaveLength(1)
    const [probe] = granted.flatMap((one) => (one.ok ? [one.value] : []))
    await completed(room, probe as NonNullable<typeof probe>, failure('HTTP 500'))
    expect(await breakerOf(one)).toMatchObject({ state: 'open', cooldown_seconds: 120 })
    await cool(one)
    const last = await addTask(room.db)
    await completed(room, await lease(room.db, last, one), success())
    expect(await breakerOf(one)).toEqual({ state: 'closed', failures: 0, cooldown_seconds: 60 })
  })
})
