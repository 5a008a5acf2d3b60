/** Work for the queue, and workers that do it: what the benches of the queue have in common. */
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import sql from 'sql-template-tag'
import { GATEWAY } from '#domain/authority/caller.ts'
import { ACTIVE_JOB_STATES, jobMachine } from '#domain/job/job.machine.ts'
import { submitJob } from '#server/jobs/submit-job.ts'
import { WORKER } from '#server/launch/product.mjs'
import { type Db, openDatabase } from '#server/ledger/database.ts'
import { openNotifier } from '#server/ledger/notifier.ts'
import { states } from '#server/ledger/states.ts'
import { PROJECTOR } from '#server/outbox/consume.ts'
import { startWorker, type WorkerProcess } from '#worker/testing/start-worker.ts'
import { agentName, type Stage } from './queue-stage.ts'
import type { Steps } from './queue-steps.ts'
import type { Span } from './statistics.ts'

export const JOBS = Number(process.env.N ?? 5_000)
export const AGENTS = 64
const TIMED = Number(process.env.LATENCY_JOBS ?? 200)
const SENDERS = 10
const TRACE = ['--import', path.join(import.meta.dirname, 'trace-statements.ts')]

const UNDONE = states(jobMachine, 'PENDING', 'QUEUED', ...ACTIVE_JOB_STATES)

let made = 0

/** One more job, of the next agent; its id. */
export async function enqueue(db: Db): Promise<string> {
  const n = made++
  const payload = { query: `Question number ${n}: what does the garden say of it?` }
  const job = await submitJob(
    db,
    { job_type: 'RESEARCH', agent_slug: agentName(n % AGENTS), payload },
    GATEWAY,
  )
  if (!job.ok) throw new Error(job.refusal.message)
  return job.value.job_id
}

/** So many jobs, ten at a time; milliseconds. */
export async function enqueueAll({ database }: Stage, count = JOBS): Promise<number> {
  const began = performance.now()
  let left = count
  const sender = async () => {
    while (left-- > 0) await enqueue(database)
  }
  await Promise.all(Array.from({ length: SENDERS }, sender))
  return performance.now() - began
}

export async function openJobs({ database }: Stage): Promise<number> {
  const { rows } = await database.query<{ n: number }>(
    sql`SELECT count(*) AS n FROM job WHERE status IN ${UNDONE}`,
  )
  return rows[0]?.n ?? 0
}

/** All jobs are looked at only once the newest is done: asked all the while, the index of states costs what is measured a twelfth. */
async function isWorkLeft({ database }: Stage): Promise<boolean> {
  const { rows } = await database.query<{ open: boolean }>(
    sql`SELECT CASE (SELECT status IN ${UNDONE} FROM job ORDER BY created_at DESC, job_id DESC LIMIT 1)
      WHEN true THEN true ELSE EXISTS (SELECT 1 FROM job WHERE status IN ${UNDONE}) END AS open`,
  )
  return rows[0]?.open ?? false
}

type Left = { unsealed: boolean; unprojected: boolean }

/** Until every job is done and sealed and, if wanted, the projector has caught up. Events are counted, since their ids have gaps, and so only in the end. */
export async function untilDone(stage: Stage, projected = false): Promise<void> {
  for (;;) {
    if (!(await isWorkLeft(stage))) {
      const { rows } = await stage.database.query<Left>(sql`SELECT
        (SELECT seq FROM event_head) < (SELECT count(*) FROM event) AS unsealed,
        ${projected} AND (SELECT seq FROM event_head) > coalesce((SELECT seq FROM consumer WHERE name = ${PROJECTOR}), 0) AS unprojected`)
      if (!rows[0]?.unsealed && !rows[0]?.unprojected) return
    }
    await pause(25)
  }
}

export type TracedWorker = WorkerProcess & {
  /** What its statements took, once it has ended. */
  steps: Steps
}

/** A worker of this stage that tells what its statements take. */
export function tracedWorker(
  stage: Stage,
  env: Record<string, string>,
  say: (line: string) => void = () => {},
  nodeOptions: readonly string[] = [],
): TracedWorker {
  const steps: Steps = {}
  const read = (line: string) =>
    line.startsWith('steps ') ? Object.assign(steps, JSON.parse(line.slice('steps '.length))) : say(line)
  return { ...startWorker({ DATABASE_URL: stage.url, ...env }, read, [...nodeOptions, ...TRACE]), steps }
}

export type Drained = { ms: number; steps: Steps }

/** All that waits, done by one worker; with a store its objects, too, and by a process that is started as the product starts it. */
export async function drain(stage: Stage, say: (line: string) => void, store?: string): Promise<Drained> {
  await stage.database.pool.query('CHECKPOINT')
  await stage.database.pool.query('ANALYZE')
  const env: Record<string, string> = store ? { ...WORKER.env, STORE_DIR: store, PROJECT: '1' } : {}
  const worker = tracedWorker(stage, env, (line) => say(`the worker ${line}`), store ? WORKER.args : [])
  await worker.ready
  const began = performance.now()
  await untilDone(stage, store !== undefined)
  const ms = performance.now() - began
  await worker.stop()
  return { ms, steps: worker.steps }
}

export type Started = {
  /** From the call that enqueues to the first line of work. */
  wait: Span
  /** When the call had returned: the job is committed. */
  enqueued: number
  /** The statements of the worker's claims in that time. */
  claims: Span[]
}

/** Jobs one by one on an idle system, each with the times of its start. */
export async function idleStarts(stage: Stage): Promise<Started[]> {
  const notifier = openNotifier(stage.url)
  const database = openDatabase(stage.url, { connections: 2, name: 'bench', notify: notifier.notify })
  const started = new Map<string, number>()
  const claims: Span[] = []
  const worker = tracedWorker(stage, { LOG_STARTS: '1', TRACE_EACH: '1' }, (line) => {
    const [word, what = '', from, to] = line.split(' ')
    if (word === 'start') started.set(what, Number(from))
    if (word === 'step' && /claim|transaction/.test(what)) claims.push({ from: Number(from), to: Number(to) })
  })
  await worker.ready
  await pause(500)
  const sent: { id: string; at: number; enqueued: number }[] = []
  const now = () => performance.timeOrigin + performance.now()
  for (let n = 0; n < TIMED; n++) {
    const at = now()
    const id = await enqueue(database)
    sent.push({ id, at, enqueued: now() })
    await pause(20 + (n % 7) * 10)
  }
  await untilDone(stage)
  await worker.stop()
  await notifier.close()
  await database.close()
  return sent.map(({ id, at, enqueued }) => {
    const wait = { from: at, to: started.get(id) ?? Number.NaN }
    return { wait, enqueued, claims: claims.filter(({ from, to }) => from < wait.to && to > wait.from) }
  })
}
