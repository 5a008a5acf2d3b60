import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OWNER } from '#server/jobs/testing/queue-room.ts'
import { getVerified } from '#server/ports/object-store.ts'
import { leaseTask } from './lease-task.ts'
import { requeueTask } from './operate-task.ts'
import { retryTasks } from './retry-tasks.ts'
import { RUNTIME } from './runtime-rows.ts'
import {
  addTask,
  completed,
  eventsOf,
  failure,
  lease,
  newWorker,
  openRuntimeRoom,
  passDelay,
  type RuntimeRoom,
  report,
  shownBy,
  success,
  taskLine,
} from './testing/runtime-room.ts'

let room: RuntimeRoom
beforeAll(async () => {
  room = await openRuntimeRoom()
})
afterAll(() => room?.close())

describe('a completion', () => {
  it('keeps the bare answer in one artifact, and answers a repeat alike', async () => {
    await newWorker(room.db)
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
    await newWorker(room.db)
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
    const one = await newWorker(room.db)
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
    const one = await newWorker(room.db)
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
    const [one, other] = [await newWorker(room.db), await newWorker(room.db)]
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
