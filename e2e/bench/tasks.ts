/**
 * LLM Tasks without the work of a node: how soon a queued task is dispatched to an idle worker, full lifecycles a second, the choice among a thousand
 * workers, lists and the reaper's look at 100 000 rows.
 */

import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import pino from 'pino'
import sql from 'sql-template-tag'
import { taskRequest } from '#contracts/llm-task.contract.ts'
import { completionRequest } from '#contracts/task-report.contract.ts'
import { workerRegistration } from '#contracts/worker.contract.ts'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { absent } from '#server/composition/absent.ts'
import type { Db } from '#server/ledger/database.ts'
import { openDatabase } from '#server/ledger/database.ts'
import { openNotifier } from '#server/ledger/notifier.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { beatTask } from '#server/runtime/beat-task.ts'
import { chooseWorker } from '#server/runtime/choose-worker.ts'
import { completeTask } from '#server/runtime/complete-task.ts'
import { createTask } from '#server/runtime/create-task.ts'
import { reapTaskLeases } from '#server/runtime/end-lease.ts'
import { leaseTask } from '#server/runtime/lease-task.ts'
import { registerWorker } from '#server/runtime/register-worker.ts'
import { listTasks } from '#server/runtime/runtime-lists.query.ts'
import { RUNTIME } from '#server/runtime/runtime-rows.ts'
import { startLoop } from '#worker/loops/loop.ts'
import { taskDispatchLoop } from '#worker/loops/runtime.loop.ts'
import type { Figures } from './figures.ts'
import { openStage, type Stage } from './queue-stage.ts'
import { percentile } from './statistics.ts'

const LIFECYCLES = Number(process.env.N ?? 3_000)
const ROWS = Number(process.env.ROWS ?? 100_000)
const DISPATCHED = Number(process.env.LATENCY_TASKS ?? 200)
const AT_ONCE = 16
const WORKERS = 1_000
const TIMES = 100

const ms = (most: number) => ({ unit: 'ms', aim: { most } })

async function addWorker(db: Db, name: string, max: number, url: string | null = null): Promise<string> {
  const given = workerRegistration.parse({ name, url, capabilities: { max_concurrency: max } })
  const itself = { role: 'node', identity: `node:${name}`, via: 'api' } as const
  return (await registerWorker(db, given, itself)).worker.id
}

async function addTask(db: Db, context: string): Promise<string> {
  const request = taskRequest.parse({
    context_id: context,
    agent_slug: 'writer',
    prompt: 'What does the garden say?',
  })
  const made = await createTask(db, request, RUNTIME)
  if (!made.ok) throw new Error(made.refusal.message)
  return made.value.task.id
}

type Parts = {
  db: Db
  store: Awaited<ReturnType<typeof openDirectoryStore>>
  env: { RUNTIME_REQUIRE_LEASE: boolean }
}

/** Create, lease, start, complete with an artifact. */
async function live(parts: Parts, n: number, workerId: string): Promise<void> {
  const taskId = await addTask(parts.db, `context-${n % 50}`)
  const granted = await leaseTask(parts.db, { taskId, workerId }, RUNTIME)
  if (!granted.ok) throw new Error(granted.refusal.message)
  const shown = { token: granted.value.token, leaseId: null, fence: null, address: '127.0.0.1' }
  await beatTask(parts, { taskId, shown }, RUNTIME)
  const report = completionRequest.parse({
    ...{ id: taskId, status: 'success', output: `Answer ${n}.`, metrics: { duration_ms: 1 } },
  })
  const done = await completeTask(parts, { taskId, shown, report }, RUNTIME)
  if (!done.ok) throw new Error(done.refusal.message)
}

async function lifecycles(parts: Parts, figures: Figures): Promise<void> {
  const ids = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, n) => addWorker(parts.db, `bench-${n}`, 1)),
  )
  let next = 0
  const began = performance.now()
  await Promise.all(
    ids.map(async (id) => {
      while (next < LIFECYCLES) await live(parts, next++, id)
    }),
  )
  const seconds = (performance.now() - began) / 1_000
  figures.add('full lifecycles of LLM Tasks', LIFECYCLES / seconds, { unit: '/s', aim: { least: 300 } })
}

/** A node that answers at once; the moment when its request arrives counts. */
async function dispatches(stage: Stage, parts: Parts, figures: Figures): Promise<void> {
  const arrived = new Map<string, number>()
  const node = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { task_id } = JSON.parse(Buffer.concat(chunks).toString()) as { task_id: string }
    arrived.set(task_id, performance.now())
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ ok: true, task_id, output: 'x', duration_ms: 1 }))
  }).listen(0, '127.0.0.1')
  await once(node, 'listening')
  const notifier = openNotifier(stage.url)
  const db = openDatabase(stage.url, { connections: 10, notify: notifier.notify })
  const log = pino({ level: 'silent' })
  const { port } = node.address() as AddressInfo
  await addWorker(db, 'called', 4, `http://127.0.0.1:${port}`)
  const env = {
    ...parts.env,
    RUNTIME_URL: 'http://127.0.0.1:1',
    MEMBRIDGE_AGENT_KEY: 'k'.repeat(43),
    ALLOW_INSECURE_LAN: false,
  }
  const garden = absent<GitRepository>('No task of this programme names an agent.')
  const loop = taskDispatchLoop({ ...parts, garden, db, env, log })
  const running = startLoop(loop, { notifier, log })
  const waits: number[] = []
  for (let n = 0; n < DISPATCHED; n++) {
    const began = performance.now()
    const id = await addTask(db, `one-${n}`)
    const queued = performance.now()
    while (!arrived.has(id)) await new Promise((resolve) => setTimeout(resolve, 1))
    waits.push((arrived.get(id) as number) - queued)
    await new Promise((resolve) => setTimeout(resolve, Math.max(5, 60 - (performance.now() - began))))
  }
  await running.stop()
  await loop.after()
  node.closeAllConnections()
  node.close()
  await notifier.close()
  await db.close()
  figures.add('queued → dispatched, idle worker, p50', percentile(waits, 0.5), ms(20))
  figures.add('queued → dispatched, idle worker, p99', percentile(waits, 0.99), ms(100))
}

async function selections(db: Db, figures: Figures): Promise<void> {
  for (let n = 0; n < WORKERS; n++) await addWorker(db, `many-${String(n).padStart(4, '0')}`, 1 + (n % 4))
  const times: number[] = []
  for (let n = 0; n < TIMES; n++) {
    const wanted = {
      contextId: `context-${n}`,
      requiredLabels: [],
      preferredLabels: [],
      excluded: null,
      only: null,
    }
    const began = performance.now()
    await chooseWorker(db, wanted, 'any')
    times.push(performance.now() - began)
  }
  figures.add(`choice among ${WORKERS} workers, p95`, percentile(times, 0.95), ms(10))
}

/** Tasks and leases of a long history, past the rules that would make each of them one step. */
async function fill(stage: Stage): Promise<void> {
  const { database: db } = stage
  await db.transaction(async (tx) => {
    await tx.query(sql`SET LOCAL session_replication_role = replica`)
    await tx.query(sql`INSERT INTO llm_task (task_id, status, tenant, caller, context_id, agent_slug, prompt, timeout_sec, budget, retry_policy, allow_fallback, desired_format,
        max_attempts, payload_digest, created_at, ended_at)
      SELECT gen_random_uuid(), (ARRAY['completed', 'failed', 'dead'])[1 + n % 3], 'default', 'owner', 'context-' || n % 100, 'agent-' || n % 20, 'What of ' || n,
        120, '0', '{}', true, 'text', 3, 'd', clock_timestamp() - make_interval(secs => n), clock_timestamp() FROM generate_series(1, ${ROWS}) AS n`)
    await tx.query(sql`INSERT INTO task_lease (lease_id, status, task_id, worker_id, context_id, fence, token_hash, ttl_seconds, timeout_sec, selection, started_at, expires_at, ended_at)
      SELECT gen_random_uuid(), 'released', t.task_id, (SELECT worker_id FROM worker_node LIMIT 1), t.context_id, 1, decode(md5(t.task_id::text), 'hex'), 150, 120, '{}',
        t.created_at, t.created_at, t.created_at FROM llm_task t WHERE NOT EXISTS (SELECT FROM task_lease l WHERE l.task_id = t.task_id)`)
  })
  await db.pool.query('VACUUM ANALYZE')
}

async function longHistory(stage: Stage, figures: Figures): Promise<void> {
  await fill(stage)
  const { database: db } = stage
  const views: Record<string, Omit<Parameters<typeof listTasks>[1], 'limit'>> = {
    all: {},
    'by status': { status: 'dead' },
    'by agent': { agent: 'agent-7' },
    'by status and agent': { status: 'failed', agent: 'agent-7' },
    'by context': { context_id: 'context-42' },
  }
  for (const [name, filter] of Object.entries(views)) {
    const times: number[] = []
    let cursor: string | undefined
    for (let page = 0; page < TIMES; page++) {
      const began = performance.now()
      const { next_cursor } = await listTasks(db, { ...filter, cursor, limit: 50 })
      times.push(performance.now() - began)
      cursor = next_cursor ?? undefined
    }
    figures.add(`list of ${ROWS} tasks, ${name}, p95`, percentile(times, 0.95), ms(50))
  }
  const middle: number[] = []
  const { rows } = await db.query<{ created_at: Date; task_id: string }>(
    sql`SELECT created_at, task_id FROM llm_task ORDER BY created_at DESC, task_id DESC OFFSET ${Math.floor(ROWS / 2)} LIMIT 1`,
  )
  const cursor = Buffer.from(JSON.stringify(['tasks', rows[0]?.created_at, rows[0]?.task_id])).toString(
    'base64url',
  )
  for (let n = 0; n < TIMES; n++) {
    const began = performance.now()
    await listTasks(db, { cursor, limit: 50 })
    middle.push(performance.now() - began)
  }
  figures.add(`list of ${ROWS} tasks, from its middle, p95`, percentile(middle, 0.95), ms(50))
  const looks: number[] = []
  for (let n = 0; n < TIMES; n++) {
    const began = performance.now()
    await reapTaskLeases({ db })
    looks.push(performance.now() - began)
  }
  figures.add(`reaper’s look at ${ROWS} leases, p95`, percentile(looks, 0.95), ms(5))
}

export async function benchTasks(figures: Figures): Promise<void> {
  const stage = await openStage()
  const folder = await mkdtemp(path.join(os.tmpdir(), 'bloom-tasks-'))
  try {
    const store = await openDirectoryStore(folder)
    const parts: Parts = { db: stage.database, store, env: { RUNTIME_REQUIRE_LEASE: false } }
    await dispatches(stage, parts, figures)
    await lifecycles(parts, figures)
    await selections(stage.database, figures)
    await longHistory(stage, figures)
  } finally {
    await stage.close()
    await rm(folder, { recursive: true, force: true })
  }
}
