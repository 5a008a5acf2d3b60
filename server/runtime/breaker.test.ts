import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { leaseTask } from './lease-task.ts'
import { RUNTIME } from './runtime-rows.ts'
import {
  addTask,
  completed,
  failure,
  lease,
  newWorker,
  openRuntimeRoom,
  type RuntimeRoom,
  success,
  taskLine,
} from './testing/runtime-room.ts'

let room: RuntimeRoom
beforeAll(async () => {
  room = await openRuntimeRoom()
})
afterAll(() => room?.close())

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
    const one = await newWorker(room.db, { max: 4 })
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
