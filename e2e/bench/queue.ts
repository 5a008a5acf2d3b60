/**
 * The queue alone: phases that return at once, so what is measured is the ledger.
 *
 * One PostgreSQL with the server's default settings, one worker process, 64 agents. Every job goes through all its states, each with its
 * event; sealing runs beside it and must have caught up at the end. Printed: single enqueues a second (10 at a time), jobs a second from
 * QUEUED to COMPLETE and sealed, both together, and enqueue → first line of work on an idle system. Then the same as the product does it:
 * artifacts go into an object store, and the projector, in the same worker, must have written the objects of every event.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import sql from 'sql-template-tag'
import { GATEWAY } from '#domain/authority/caller.ts'
import { ACTIVE_JOB_STATES, jobMachine } from '#domain/job/job.machine.ts'
import { submitJob } from '#server/jobs/submit-job.ts'
import { type Db, openDatabase } from '#server/ledger/database.ts'
import { openNotifier } from '#server/ledger/notifier.ts'
import { state, states } from '#server/ledger/states.ts'
import { PROJECTOR } from '#server/outbox/consume.ts'
import { startWorker } from '#worker/testing/start-worker.ts'
import { say as print } from '../fixtures/report.ts'
import { agentName, createAgents, openStage, type Stage } from './queue-stage.ts'

const JOBS = Number(process.env.N ?? 5_000)
const TIMED = Number(process.env.LATENCY_JOBS ?? 200)
const AGENTS = 64
const SENDERS = 10

const UNDONE = states(jobMachine, 'PENDING', 'QUEUED', ...ACTIVE_JOB_STATES)

const payload = (n: number) => ({ query: `Question number ${n}: what does the garden say of it?` })

async function enqueue(db: Db, n: number): Promise<string> {
  const made = await submitJob(
    db,
    { job_type: 'RESEARCH', agent_slug: agentName(n % AGENTS), payload: payload(n) },
    GATEWAY,
  )
  if (!made.ok) throw new Error(made.refusal.message)
  return made.value.job_id
}

async function enqueueAll(stage: Stage): Promise<number> {
  const began = performance.now()
  let next = 0
  const sender = async () => {
    while (next < JOBS) await enqueue(stage.database, next++)
  }
  await Promise.all(Array.from({ length: SENDERS }, sender))
  return performance.now() - began
}

type Done = { open: boolean; unsealed: boolean; unprojected: boolean }

async function untilDone(stage: Stage, projected = false): Promise<void> {
  for (;;) {
    const { rows } = await stage.database.query<Done>(sql`SELECT
      EXISTS (SELECT 1 FROM job WHERE status IN ${UNDONE}) AS open,
      (SELECT seq FROM event_head) < (SELECT max(id) FROM event) AS unsealed,
      ${projected} AND (SELECT seq FROM event_head) > coalesce((SELECT seq FROM consumer WHERE name = ${PROJECTOR}), 0) AS unprojected`)
    if (!rows[0]?.open && !rows[0]?.unsealed && !rows[0]?.unprojected) return
    await pause(25)
  }
}

async function drain(stage: Stage, say: (line: string) => void, store?: string): Promise<number> {
  await stage.database.pool.query('CHECKPOINT')
  await stage.database.pool.query('ANALYZE')
  const env = { DATABASE_URL: stage.url, ...(store ? { STORE_DIR: store, PROJECT: '1' } : {}) }
  const worker = startWorker(env, (line) => say(`queue: worker                 ${line}`))
  await worker.ready
  const began = performance.now()
  await untilDone(stage, store !== undefined)
  const ms = performance.now() - began
  await worker.stop()
  return ms
}

/** The projector begins with what comes now. */
const skipProjected = (db: Db) =>
  db.query(sql`INSERT INTO consumer (name, seq) SELECT ${PROJECTOR}, seq FROM event_head
    ON CONFLICT (name) DO UPDATE SET seq = excluded.seq`)

/** One line: jobs a second with artifacts stored and every event projected, and how many objects that were. */
async function asShipped(stage: Stage, say: (line: string) => void): Promise<string> {
  const store = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-queue-store-'))
  try {
    await enqueueAll(stage)
    await skipProjected(stage.database)
    const ms = await drain(stage, say, store)
    const files = fs.readdirSync(store, { recursive: true, withFileTypes: true })
    const objects = files.filter((file) => file.isFile()).length
    return `${((JOBS / ms) * 1000).toFixed(0)} jobs/s   (aim ≥ 600; ${objects} objects, ${((objects / ms) * 1000).toFixed(0)}/s)`
  } finally {
    fs.rmSync(store, { recursive: true, force: true })
  }
}

async function idleLatency(stage: Stage): Promise<number[]> {
  const notifier = openNotifier(stage.url)
  const database = openDatabase(stage.url, { connections: 2, name: 'bench', notify: notifier.notify })
  const started = new Map<string, number>()
  const worker = startWorker({ DATABASE_URL: stage.url, LOG_STARTS: '1' }, (line) => {
    const [word, id, at] = line.split(' ')
    if (word === 'start') started.set(id ?? '', Number(at))
  })
  await worker.ready
  await pause(500)
  const sent: { id: string; at: number }[] = []
  for (let n = 0; n < TIMED; n++) {
    const at = performance.timeOrigin + performance.now()
    const id = await enqueue(database, JOBS + n)
    sent.push({ id, at })
    await pause(20 + (n % 7) * 10)
  }
  await untilDone(stage)
  await worker.stop()
  await notifier.close()
  await database.close()
  return sent.map(({ id, at }) => (started.get(id) ?? Number.NaN) - at).sort((a, b) => a - b)
}

async function audit(stage: Stage): Promise<string> {
  const { rows } = await stage.database.query<{
    complete: number
    artifacts: number
    events: number
    sealed: number
  }>(sql`SELECT
    (SELECT count(*) FROM job WHERE status = ${state(jobMachine, 'COMPLETE')}) AS complete, (SELECT count(*) FROM artifact) AS artifacts,
    (SELECT count(*) FROM event WHERE resource_type = 'job') AS events, (SELECT seq FROM event_head) AS sealed`)
  const r = rows[0]
  return `${r?.complete} complete, ${r?.artifacts} artifacts, ${r?.events} job events, ${r?.sealed} sealed`
}

const at = (sorted: number[], share: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(1)

/** Runs the whole and prints one line a figure, beside its aim. */
export async function benchQueue(say = print): Promise<void> {
  const stage = await openStage()
  try {
    await createAgents(stage.database, AGENTS)
    const sent = await enqueueAll(stage)
    const drained = await drain(stage, say)
    const perSecond = (ms: number) => ((JOBS / ms) * 1000).toFixed(0)
    say(`queue: enqueue, singly        ${perSecond(sent)} jobs/s`)
    say(`queue: all states, sealed     ${perSecond(drained)} jobs/s   (aim ≥ 1300, 64 agents)`)
    say(`queue: enqueue + all states   ${perSecond(sent + drained)} jobs/s`)
    const latency = await idleLatency(stage)
    say(
      `queue: enqueue → start, idle  p50 ${at(latency, 0.5)} ms, p99 ${at(latency, 0.99)} ms   (aim ≤ 4, ≤ 10)`,
    )
    say(`queue: as shipped, projected  ${await asShipped(stage, say)}`)
    say(`queue: checked                ${await audit(stage)}`)
  } finally {
    await stage.close()
  }
}

if (process.argv[1] === import.meta.filename) await benchQueue()
