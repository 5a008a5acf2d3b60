/** What tests of the runtime share: a database and an object store of their own, workers, tasks, leases in a wanted state. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sql from 'sql-template-tag'
import type { z } from 'zod'
import { type TaskRequest, taskRequest } from '#contracts/llm-task.contract.ts'
import { completionRequest } from '#contracts/task-report.contract.ts'
import { workerRegistration } from '#contracts/worker.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { openRoom, type Room } from '#server/jobs/testing/queue-room.ts'
import { makeKey } from '#server/keys/make-key.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { ObjectStore } from '#server/ports/object-store.ts'
import type { Completed } from '../attempt-result.ts'
import { completeTask } from '../complete-task.ts'
import { createTask } from '../create-task.ts'
import { type Granted, leaseTask } from '../lease-task.ts'
import { registerWorker } from '../register-worker.ts'
import { RUNTIME } from '../runtime-rows.ts'
import type { Shown } from '../show-lease.ts'

export type RuntimeRoom = Room & {
  store: ObjectStore
  env: { RUNTIME_REQUIRE_LEASE: boolean }
}

export async function openRuntimeRoom(): Promise<RuntimeRoom> {
  const base = await openRoom()
  const folder = await mkdtemp(path.join(tmpdir(), 'bloom-runtime-'))
  const store = await openDirectoryStore(folder)
  const room: RuntimeRoom = {
    ...base,
    store,
    env: { RUNTIME_REQUIRE_LEASE: false },
    restart: async () => {
      await base.restart()
      Object.assign(room, { database: base.database, db: base.db })
    },
    close: async () => {
      await base.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
  return room
}

export const OWNER: Caller = { role: 'owner', identity: 'owner', via: 'console' }
export const MACHINE: Caller = { role: 'service', identity: 'runtime-machine', via: 'api' }

/** A worker that is online and has room, as its node registers it: it is called where it has an address. Returns its id. */
export async function addWorker(
  db: Db,
  name: string,
  more: { max?: number; labels?: string[]; url?: string | null; ip?: string } = {},
): Promise<string> {
  const { max = 1, labels = [], url = `http://${name}.test:8001`, ip } = more
  const capabilities = { max_concurrency: max, labels }
  const itself: Caller = { role: 'node', identity: `node:${name}`, via: 'api' }
  return register(db, { name, url, capabilities, ...(ip ? { ip_addrs: [ip] } : {}) }, itself)
}

/** As a worker registers itself, with no more than is given; returns its id. */
export async function register(
  db: Db,
  given: z.input<typeof workerRegistration>,
  caller = MACHINE,
): Promise<string> {
  const { worker } = await registerWorker(db, workerRegistration.parse(given), caller)
  return worker.id
}

/** Joins the node of this name; returns its own key. */
export async function joinNode(db: Db, name: string): Promise<string> {
  const key = { kind: 'node', node_id: name, name: 'k', expires_in_days: null } as const
  const made = await db.transaction((tx) => makeKey(tx, key, OWNER))
  if (!made.ok) throw new Error(made.refusal.message)
  return made.value.secret
}

/** Another worker, under a name of its own. */
export const newWorker = (db: Db, more: Parameters<typeof addWorker>[2] = {}): Promise<string> =>
  addWorker(db, `w-${randomUUID().slice(0, 8)}`, more)

export type Asked = Omit<Partial<TaskRequest>, 'policy'> & { policy?: Partial<TaskRequest['policy']> }

/** A queued task; returns its id. */
export async function addTask(db: Db, more: Asked = {}): Promise<string> {
  const request = taskRequest.parse({
    context_id: 'garden',
    agent_slug: 'writer',
    prompt: 'What does the garden say?',
    ...more,
  })
  const made = await createTask(db, request, MACHINE)
  if (!made.ok) throw new Error(made.refusal.message)
  return made.value.task.id
}

export async function lease(db: Db, taskId: string, workerId?: string): Promise<Granted> {
  const granted = await leaseTask(db, { taskId, workerId }, RUNTIME)
  if (!granted.ok) throw new Error(granted.refusal.message)
  return granted.value
}

export const shownBy = (granted: Granted): Shown => ({
  token: granted.token,
  leaseId: null,
  fence: null,
  address: '127.0.0.1',
})
export const NOTHING: Shown = { token: null, leaseId: null, fence: null, address: '203.0.113.9' }

export const success = (output = 'It says spring.', more: object = {}) => ({
  ...{ status: 'success', output, metrics: { duration_ms: 12, tokens_used: null } },
  ...more,
})
export const failure = (error_message: string, more: object = {}) => ({
  status: 'error',
  error_message,
  ...more,
})

/** What a report needs of the room. */
type Reported = Pick<RuntimeRoom, 'db' | 'store' | 'env'>

export async function report(room: Reported, taskId: string, shown: Shown, body: object) {
  const parsed = completionRequest.parse({ id: taskId, ...body })
  return completeTask(room, { taskId, shown, report: parsed }, MACHINE)
}

/** The report counts, or the test ends here. */
export async function completed(room: Reported, granted: Granted, body: object): Promise<Completed> {
  const done = await report(room, granted.lease.task_id, shownBy(granted), body)
  if (!done.ok) throw new Error(done.refusal.message)
  return done.value
}

export async function taskLine(db: Db, taskId: string): Promise<Row<'llm_task'>> {
  const { rows } = await db.query<Row<'llm_task'>>(sql`SELECT * FROM llm_task WHERE task_id = ${taskId}`)
  return rows[0] as Row<'llm_task'>
}

/** Lets the lease run out on the database's clock. */
export async function runOut(db: Db, leaseId: string): Promise<void> {
  await db.query(
    sql`UPDATE task_lease SET expires_at = clock_timestamp() - interval '1 second' WHERE lease_id = ${leaseId}`,
  )
}

/** Lets the time until the next attempt pass. */
export async function passDelay(db: Db, taskId: string): Promise<void> {
  await db.query(sql`UPDATE llm_task SET retry_at = CASE WHEN retry_at IS NOT NULL THEN clock_timestamp() - interval '1 second' END,
    not_before = least(not_before, clock_timestamp()) WHERE task_id = ${taskId}`)
}

export async function eventsOf(db: Db, taskId: string): Promise<string[]> {
  const { rows } = await db.query<{ line: string }>(
    sql`SELECT name || CASE WHEN outcome = 'ok' THEN '' ELSE ' ' || outcome END AS line FROM event
      WHERE resource_type = 'task' AND resource_id = ${taskId} ORDER BY id`,
  )
  return rows.map((row) => row.line)
}
