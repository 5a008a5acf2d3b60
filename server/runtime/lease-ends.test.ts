import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { beatTask } from './beat-task.ts'
import { handBack, reapTaskLeases } from './end-lease.ts'
import { fetchTask } from './fetch-task.ts'
import { RUNTIME } from './runtime-rows.ts'
import {
  addTask,
  completed,
  lease,
  MACHINE,
  newWorker,
  openRuntimeRoom,
  passDelay,
  type RuntimeRoom,
  runOut,
  shownBy,
  success,
  taskLine,
} from './testing/runtime-room.ts'

let room: RuntimeRoom
beforeAll(async () => {
  room = await openRuntimeRoom()
})
afterAll(() => room?.close())

describe('a lease that ends without an answer', () => {
  it('gives the task to another worker, or marks it dead', async () => {
    const [one, other] = [
      await newWorker(room.db, { labels: ['pair'] }),
      await newWorker(room.db, { labels: ['pair'] }),
    ]
    const id = await addTask(room.db, { max_attempts: 2, policy: { required_labels: ['pair'] } })
    const first = await lease(room.db, id, one)
    await beatTask(room, { taskId: id, shown: shownBy(first) }, MACHINE)
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

  it('gives a task that has to stay with its worker to that one again, though another could take it', async () => {
    const labels = [randomUUID()]
    const first = await newWorker(room.db, { labels, url: null })
    await newWorker(room.db, { labels })
    const id = await addTask(room.db, { policy: { required_labels: labels, allow_fallback: false } })
    await runOut(room.db, (await lease(room.db, id, first)).lease.id)
    await reapTaskLeases(room)
    const nobody = { on: () => () => undefined }
    const fetched = await fetchTask(
      { db: room.db, notifier: nobody },
      { workerId: first, waitMs: 0 },
      RUNTIME,
    )
    expect(fetched).toMatchObject({ value: { task: { task_id: id } } })
  })

  it('costs no attempt when the node certainly did not take it', async () => {
    const one = await newWorker(room.db)
    const id = await addTask(room.db, { max_attempts: 1 })
    const granted = await lease(room.db, id, one)
    expect(await handBack(room.db, granted.lease.id, { message: 'connection refused' })).toBe(true)
    expect(await taskLine(room.db, id)).toMatchObject({ status: 'queued', attempts: 0, fence: 1 })
    expect(await handBack(room.db, granted.lease.id, { message: 'connection refused' })).toBe(false)
    await passDelay(room.db, id)
    const again = await lease(room.db, id, one)
    await beatTask(room, { taskId: id, shown: shownBy(again) }, MACHINE)
    expect(await handBack(room.db, again.lease.id, { message: 'late' })).toBe(false)
    expect(await taskLine(room.db, id)).toMatchObject({ status: 'running', attempts: 1, fence: 2 })
    await completed(room, again, success())
  })
})
