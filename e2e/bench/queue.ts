/**
 * The queue alone: phases that return at once, so what is measured is the ledger.
 *
 * One PostgreSQL with the server's default settings, one worker process, 64 agents. Every job goes through all its states, each with its
 * event; sealing runs beside it and must have caught up at the end. Printed: single enqueues a second (10 at a time), jobs a second from
 * QUEUED to COMPLETE and sealed, both together, and enqueue → first line of work on an idle system.
 */
import { setTimeout as pause } from 'node:timers/promises'
import sql from 'sql-template-tag'
import { GATEWAY } from '#domain/authority/caller.ts'
import { ACTIVE_JOB_STATES, jobMachine } from '#domain/job/job.machine.ts'
import { submitJob } from '#server/jobs/submit-job.ts'
import { type Db, openDatabase } from '#server/ledger/database.ts'
import { openNotifier } from '#server/ledger/notifier.ts'
import { state, states } from '#server/ledger/states.ts'
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

async function untilDone(stage: Stage): Promise<void> {
  for (;;) {
    const { rows } = await stage.database.query<{ open: boolean; unsealed: boolean }>(sql`SELECT
      EXISTS (SELECT 1 FROM job WHERE status IN ${UNDONE}) AS open,
      (SELECT seq FROM event_head) < (SELECT max(id) FROM event) AS unsealed`)
    if (!rows[0]?.open && !rows[0]?.unsealed) return
    await pause(25)
  }
}

async function drain(stage: Stage, say: (line: string) => void): Promise<number> {
  await stage.database.pool.query('CHECKPOINT')
  await stage.database.pool.query('ANALYZE')
  const worker = startWorker({ DATABASE_URL: stage.url }, (line) =>
    say(`queue: worker                 ${line}`),
  )
  await worker.ready
  const began = performance.now()
  await untilDone(stage)
  const ms = performance.now() - began
  await worker.stop()
  return ms
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
    say(`queue: checked                ${await audit(stage)}`)
  } finally {
    await stage.close()
  }
}

if (process.argv[1] === import.meta.filename) await benchQueue()
