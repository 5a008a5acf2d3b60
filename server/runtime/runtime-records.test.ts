/** What the runtime recorded, by the names of its own wire. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SCHEDULER } from '#domain/authority/caller.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { countAnswer, countFailure } from './count-failure.ts'
import { handBack } from './end-lease.ts'
import { correctAddress, drainWorker } from './manage-worker.ts'
import { listRecords } from './runtime-records.query.ts'
import {
  addTask,
  lease,
  MACHINE,
  newWorker,
  openRuntimeRoom,
  type RuntimeRoom,
  report,
  shownBy,
  success,
} from './testing/runtime-room.ts'

let room: RuntimeRoom
beforeAll(async () => {
  room = await openRuntimeRoom()
})
afterAll(() => room?.close())

/** The actions recorded of these things, the oldest first. */
async function actionsOf(...ids: string[]): Promise<string[]> {
  const records = await listRecords(room.db, 200)
  return records
    .filter(({ entity_id }) => ids.includes(entity_id))
    .map(({ action }) => action)
    .reverse()
}

it('names what happens to a worker', async () => {
  const { db } = room
  const id = await newWorker(db)
  const command = { workerId: id, reason: 'new board' }
  await drainWorker(db, { ...command, drain: true }, MACHINE)
  await drainWorker(db, { ...command, drain: false }, MACHINE)
  await correctAddress(db, { ...command, url: 'http://shed.test:8001' }, MACHINE)
  for (let n = 0; n < 3; n++) await db.transaction((tx) => countFailure(tx, id))
  await db.transaction((tx) => countAnswer(tx, id))
  expect(await actionsOf(id)).toEqual([
    ...['worker_registered', 'worker_drained', 'worker_updated', 'worker_updated'],
    ...['circuit_opened', 'circuit_closed'],
  ])
})

it('names what happens to a task, a stale report and a call that was not taken included', async () => {
  const { db } = room
  const [id, worker] = [await addTask(db), await newWorker(db)]
  const first = await lease(db, id, worker)
  await handBack(db, first.lease.id, { message: 'The worker has no address any more.' })
  await report(room, id, shownBy(first), success())
  expect(await actionsOf(id)).toEqual([
    ...['task_created', 'task_leased', 'dispatch_failed', 'lease_write_refused'],
  ])
})

it('names the promotion of a primary among the rest, newest first and no more than asked for', async () => {
  const { db } = room
  const resource = { type: 'leadership', id: '6fe2e0f6071ac2bb' }
  await recordEvent(db, { name: 'leadership.granted', actor: SCHEDULER, resource })
  await recordEvent(db, { name: 'leadership.promoted', actor: SCHEDULER, resource })
  const worker = await newWorker(db)
  const newest = await listRecords(db, 2)
  expect(newest.map(({ action, entity_type, entity_id }) => [action, entity_type, entity_id])).toEqual([
    ['worker_registered', 'worker', worker],
    ['leadership_promote', 'leadership', resource.id],
  ])
})
