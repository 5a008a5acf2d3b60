import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { beatTask } from './beat-task.ts'
import { handBack, reapTaskLeases } from './end-lease.ts'
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
