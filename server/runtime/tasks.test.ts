import { randomUUID } from 'node:crypto'
import pino from 'pino'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { taskRequest } from '#contracts/llm-task.contract.ts'
import { OWNER } from '#server/jobs/testing/queue-room.ts'
import { somebodyWaits } from '#server/keys/testing/somebody-waits.ts'
import { callerFor } from '#server/trpc/testing.ts'
import { beatTask } from './beat-task.ts'
import { createTask } from './create-task.ts'
import { reapTaskLeases } from './end-lease.ts'
import { fetchTask } from './fetch-task.ts'
import { leaseTask } from './lease-task.ts'
import { cancelTask, requeueTask } from './operate-task.ts'
import { RUNTIME } from './runtime-rows.ts'
import {
  addTask,
  completed,
  eventsOf,
  lease,
  MACHINE,
  NOTHING,
  newWorker,
  openRuntimeRoom,
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

const worker = (more: Parameters<typeof newWorker>[1] = {}) => newWorker(room.db, more)
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

  it('that takes the key in the moment of a requeue keeps it, and nothing fails', async () => {
    const key = randomUUID()
    const first = await made({ idempotency_key: key })
    if (!first.ok) throw new Error(first.refusal.message)
    const { id } = first.value.task
    await cancelTask(room.db, { taskId: id, reason: 'no' }, OWNER)
    const requeued = await room.db.transaction(async (tx) => {
      expect(await createTask(tx, request({ idempotency_key: key }), MACHINE)).toMatchObject({ ok: true })
      const asked = callerFor({ ...room.web, log: pino({ level: 'silent' }) }, OWNER).tasks.requeue({
        id,
        reason: 'yes',
      })
      await somebodyWaits(room.web.db)
      return () => asked
    })
    expect(await requeued()).toMatchObject({ status: 'queued', idempotency_key: null })
  })

  it('of twenty with one key at once makes one', async () => {
    const key = randomUUID()
    const all = await Promise.all(Array.from({ length: 20 }, () => made({ idempotency_key: key })))
    expect(all.filter((one) => one.ok && one.value.created)).toHaveLength(1)
    expect(all.filter((one) => !one.ok && one.refusal.code === 'DUPLICATE_ENTRY')).toHaveLength(19)
  })
})

describe('leasing', () => {
  it('gives nothing to a node that has gone while it waited for a task', async () => {
    // What the tests before have left is not meant for it.
    await room.db.query(
      sql`UPDATE llm_task SET not_before = clock_timestamp() + interval '1 hour' WHERE status = 'queued'`,
    )
    const own = await worker()
    const gone = new AbortController()
    const waiting = Promise.withResolvers<void>()
    const notifier = { on: () => waiting.resolve() ?? (() => undefined) }
    const asked = { workerId: own, waitMs: 60_000, signal: gone.signal }
    const fetched = fetchTask({ db: room.db, notifier }, asked, RUNTIME)
    await waiting.promise
    const id = await addTask(room.db)
    gone.abort()
    expect(await fetched).toEqual({ ok: true, value: null })
    expect((await taskLine(room.db, id)).status).toBe('queued')
  })

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
