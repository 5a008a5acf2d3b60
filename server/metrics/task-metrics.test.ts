/** LLM Tasks in a real ledger, from their events to the totals, and how the runtime stands at a scrape. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { sealAll } from '#server/ledger/seal.ts'
import { reapTaskLeases } from '#server/runtime/end-lease.ts'
import { drainWorker, removeWorker } from '#server/runtime/manage-worker.ts'
import { requeueTask } from '#server/runtime/operate-task.ts'
import {
  addTask,
  addWorker,
  completed,
  failure,
  lease,
  MACHINE,
  type RuntimeRoom,
  report,
  runOut,
  shownBy,
  success,
} from '#server/runtime/testing/runtime-room.ts'
import { readGauges } from '#server/system/read-gauges.query.ts'
import { countEvents } from './count-events.ts'
import { readTotals } from './totals.ts'

let test: TestDatabase
let admin: Database
let room: Pick<RuntimeRoom, 'database' | 'db' | 'store' | 'env'>
let folder: string
let worker: string
beforeAll(async () => {
  test = await createTestDatabase()
  admin = openDatabase(test.adminUrl, { connections: 1 })
  const database = openDatabase(test.workerUrl, { connections: 16 })
  folder = await mkdtemp(path.join(tmpdir(), 'task-metrics-'))
  const store = await openDirectoryStore(folder)
  room = { database, db: database, store, env: { RUNTIME_REQUIRE_LEASE: false } }
  worker = await addWorker(room.db, 'first', { max: 8 })
})
afterAll(async () => {
  await Promise.all([room?.database.close(), admin?.close()])
  await test?.drop()
  await rm(folder, { recursive: true, force: true })
})

/** What was counted of this metric, by the values of its labels in the order of their names. */
async function totals(name: string): Promise<Record<string, { count: number; sum: number }>> {
  await sealAll(room.db)
  while ((await countEvents(room.db)) > 0);
  const sums: Record<string, { count: number; sum: number }> = {}
  for (const row of await readTotals(room.db)) {
    if (row.name !== name) continue
    const key = Object.keys(row.labels)
      .sort()
      .map((label) => row.labels[label])
      .join(' ')
    const { count, sum } = sums[key] ?? { count: 0, sum: 0 }
    sums[key] = { count: count + row.count, sum: sum + row.sum }
  }
  return sums
}
const counts = async (name: string) =>
  Object.fromEntries(Object.entries(await totals(name)).map(([key, { count }]) => [key, count]))

async function gauges(name: string): Promise<Record<string, number>> {
  const env = { BLOOM_HOME: '/', GARDEN_REMOTE: '' } as Parameters<typeof readGauges>[0]['env']
  const readings = (await readGauges({ db: room.db, env })).filter((reading) => reading.name === name)
  return Object.fromEntries(readings.map(({ labels, value }) => [Object.values(labels).join(' '), value]))
}

/** Moves what happened to the task so far into the past. */
const age = (taskId: string, seconds: number) =>
  admin.transaction(async (tx) => {
    await tx.query(sql`SET LOCAL session_replication_role = replica`)
    await tx.query(
      sql`UPDATE event SET ts = ts - make_interval(secs => ${seconds}) WHERE resource_type = 'task' AND resource_id = ${taskId}`,
    )
  })

it('counts attempts, ends, waits and times of tasks, leases that ran out and writes that were refused', async () => {
  const answered = await addTask(room.db)
  await age(answered, 20)
  const granted = await lease(room.db, answered, worker)
  await age(answered, 100)
  await completed(room, granted, success())

  const lost = await addTask(room.db, { max_attempts: 1 })
  const stale = await lease(room.db, lost, worker)
  await runOut(room.db, stale.lease.id)
  await reapTaskLeases({ db: room.db })
  await report(room, lost, shownBy(stale), success())

  const again = await addTask(room.db)
  const fail = async (error_code: string) =>
    completed(room, await lease(room.db, again, worker), failure('no', { error_code }))
  await fail('invalid_prompt')
  await age(again, 5_000)
  await requeueTask(room.db, { taskId: again, reason: 'fixed' }, MACHINE)
  await fail('provider_error')

  expect(await counts('garden_task_attempts_total')).toEqual({ completed: 1, expired: 1, failed: 2 })
  expect(await counts('garden_tasks_ended_total')).toEqual({
    'invalid_prompt failed': 1,
    'none completed': 1,
    'worker_crash dead': 1,
  })
  expect(await counts('garden_lease_expired_total')).toEqual({ '': 1 })
  expect(await counts('garden_fence_refused_total')).toEqual({ '': 1 })
  const { '': starts } = await totals('garden_task_start_seconds')
  expect(starts?.count).toBe(4)
  expect(starts?.sum).toBeGreaterThan(19.9)
  expect(starts?.sum).toBeLessThan(40)
  const { '': times } = await totals('garden_task_seconds')
  expect(times?.count).toBe(3)
  expect(times?.sum).toBeGreaterThan(119.9)
  expect(times?.sum).toBeLessThan(150)
})

it('takes the time of a task that was put back from then on', async () => {
  const before = (await totals('garden_task_seconds'))[''] ?? { count: 0, sum: 0 }
  const taskId = await addTask(room.db)
  const end = async () =>
    completed(room, await lease(room.db, taskId, worker), failure('no', { error_code: 'invalid_prompt' }))
  await end()
  await age(taskId, 5_000)
  await requeueTask(room.db, { taskId, reason: 'fixed' }, MACHINE)
  await end()
  const after = (await totals('garden_task_seconds'))[''] ?? { count: 0, sum: 0 }
  expect(after.count - before.count).toBe(2)
  expect(after.sum - before.sum).toBeLessThan(30)
})

it('reads tasks by status, active leases, workers and breakers', async () => {
  const before = await gauges('garden_tasks')
  const leases = (await gauges('garden_leases_active'))[''] ?? 0
  expect(Object.keys(before)).toEqual(['queued', 'leased', 'running', 'completed', 'failed', 'dead'])
  await addTask(room.db)
  await lease(room.db, await addTask(room.db), worker)
  const overdue = await lease(room.db, await addTask(room.db), worker)
  await runOut(room.db, overdue.lease.id)
  const after = await gauges('garden_tasks')
  expect([after.queued, after.leased]).toEqual([(before.queued ?? 0) + 1, (before.leased ?? 0) + 2])
  expect(await gauges('garden_leases_active')).toEqual({ '': leases + 1 })

  const [drained, removed, silent] = await Promise.all(
    ['drained', 'removed', 'silent'].map((name) => addWorker(room.db, name)),
  )
  await drainWorker(room.db, { workerId: drained as string, reason: 'repair', drain: true }, MACHINE)
  await removeWorker(room.db, { workerId: removed as string, reason: 'gone', force: false }, MACHINE)
  await room.db.query(
    sql`UPDATE worker_node SET last_heartbeat_at = clock_timestamp() - interval '61 seconds' WHERE worker_id = ${silent}`,
  )
  expect(await gauges('garden_worker_nodes')).toEqual({ online: 1, offline: 1, drained: 1 })
  await room.db.query(
    sql`UPDATE worker_breaker SET state = 'open', failures = 3, open_until = clock_timestamp() WHERE worker_id = ANY(${[silent, removed]}::uuid[])`,
  )
  expect(await gauges('garden_worker_breakers')).toEqual({ closed: 2, open: 1, half_open: 0 })
})
