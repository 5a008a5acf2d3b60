/**
 * Chaos of the queue: real worker processes over real PostgreSQL and a real object store. Again and again one of them is killed with
 * SIGKILL, or stopped with SIGSTOP until another has taken its jobs over and woken then, or a server process of the database is killed,
 * upon which PostgreSQL ends all connections and recovers from its log. A job whose every attempt was lost that way ends DEAD; it is
 * requeued as an operator would. At the end every job must be COMPLETE exactly once with its artifact's bytes under their digest.
 *
 * A lost worker's leases would expire after 60 s and its jobs' backoffs after 15 s and more; the programme moves both into the past for
 * the jobs of struck workers alone, which changes nothing but the wait. A run with too few strikes counts as invalid.
 * JOBS (2 000), WORKERS (4), EVERY_MS (1 000) and LIMIT_MS (600 000) change the numbers.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import sql from 'sql-template-tag'
import { GATEWAY } from '#domain/authority/caller.ts'
import { jobMachine } from '#domain/job/job.machine.ts'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { refusalOf } from '#server/auth/refusal-of.ts'
import { operateJobs } from '#server/jobs/operate-job.ts'
import { submitJob } from '#server/jobs/submit-job.ts'
import { OPERATOR } from '#server/jobs/testing/queue-room.ts'
import type { Db } from '#server/ledger/database.ts'
import { state, states } from '#server/ledger/states.ts'
import { getVerified } from '#server/ports/object-store.ts'
import { startWorker, type WorkerProcess } from '#worker/testing/start-worker.ts'
import { agentName, createAgents, openStage } from '../bench/queue-stage.ts'
import { reportOf } from '../fixtures/report.ts'

const JOBS = Number(process.env.JOBS ?? 2_000)
const WORKERS = Number(process.env.WORKERS ?? 4)
const EVERY_MS = Number(process.env.EVERY_MS ?? 1_000)
const LIMIT_MS = Number(process.env.LIMIT_MS ?? 600_000)
const AGENTS = 64
const MIN_STRIKES = 10
const ENDED = states(jobMachine, 'COMPLETE', 'FAILED', 'DEAD')
const SPENT = states(jobMachine, 'FAILED', 'DEAD')

type Stage = Awaited<ReturnType<typeof openStage>>
type Strikes = { killed: number; stopped: number; crashed: number; requeued: number }

async function enqueue(db: Db): Promise<void> {
  for (let n = 0; n < JOBS; n++) {
    const job = {
      job_type: 'RESEARCH',
      agent_slug: agentName(n % AGENTS),
      payload: { query: `Question ${n}` },
      max_attempts: 10,
    } as const
    const made = await submitJob(db, job, GATEWAY)
    if (!made.ok) throw new Error(made.refusal.message)
  }
}

async function openJobs(db: Db): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    sql`SELECT count(*) AS n FROM job WHERE status <> ${state(jobMachine, 'COMPLETE')}`,
  )
  return rows[0]?.n ?? 0
}

/** The time passes for what a struck worker had leased. A claim may lock the same rows in another order: who loses asks again. */
async function passTime(db: Db, pid: number | undefined): Promise<void> {
  try {
    await hurry(db, pid)
  } catch (error) {
    if (refusalOf(error).refusal.code !== 'CONCURRENT_MODIFICATION') throw error
    await passTime(db, pid)
  }
}

async function hurry(db: Db, pid: number | undefined): Promise<void> {
  await db.query(
    sql`UPDATE job SET lease_expires_at = clock_timestamp() - interval '1 second' WHERE lease_holder LIKE ${`instant:${pid}:%`}`,
  )
  await db.query(
    sql`UPDATE job SET not_before = clock_timestamp() WHERE status = ${state(jobMachine, 'RETRY_BACKOFF')}`,
  )
}

/** Requeues what lost all its attempts; a job that ended for another reason stays, and is found at the end. */
async function requeueSpent(db: Db): Promise<number> {
  const exhausted = sql`o.status IN ${SPENT} AND o.failure_kind = 'exhausted'`
  const moved = await operateJobs(db, 'requeue', exhausted, {
    reason: 'every attempt was struck',
    caller: OPERATOR,
  })
  return moved.length
}

/** Kills one server process of the database; PostgreSQL then ends the others and recovers. */
async function crashDatabase(db: Db): Promise<void> {
  const { rows } = await db.query<{ pid: number }>(
    sql`SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1`,
  )
  if (rows[0]) process.kill(rows[0].pid, 'SIGKILL')
}

/** One strike: mostly a kill, every fifth a stop, every twentieth the database. */
async function strike(
  n: number,
  db: Db,
  workers: WorkerProcess[],
  start: () => WorkerProcess,
  seen: Strikes,
) {
  if (n % 20 === 19) {
    await crashDatabase(db)
    seen.crashed++
    return
  }
  const victim = workers.shift() as WorkerProcess
  if (n % 5 === 4) {
    victim.child.kill('SIGSTOP')
    await passTime(db, victim.child.pid)
    await pause(EVERY_MS * 2)
    victim.child.kill('SIGCONT')
    workers.push(victim)
    seen.stopped++
    return
  }
  victim.child.kill('SIGKILL')
  await victim.ended
  workers.push(start())
  await passTime(db, victim.child.pid)
  seen.killed++
}

/** Strikes until every job is complete; what the recovering database refuses is asked again with the next strike. */
async function storm(stage: Stage, workers: WorkerProcess[], start: () => WorkerProcess): Promise<Strikes> {
  const db = stage.database
  const seen: Strikes = { killed: 0, stopped: 0, crashed: 0, requeued: 0 }
  const began = performance.now()
  for (let n = 0; performance.now() - began < LIMIT_MS; n++) {
    await pause(EVERY_MS)
    try {
      seen.requeued += await requeueSpent(db)
      if ((await openJobs(db)) === 0) break
      await strike(n, db, workers, start, seen)
    } catch (error) {
      if (refusalOf(error).refusal.code !== 'STORAGE_UNAVAILABLE') throw error
    }
  }
  return seen
}

async function audit(db: Db, folder: string) {
  const { rows } = await db.query<{
    complete: number
    twice: number
    stuck: number
    ended: number
    refused: number
    lost: number
  }>(sql`SELECT
    (SELECT count(*) FROM job WHERE status = ${state(jobMachine, 'COMPLETE')}) AS complete,
    (SELECT count(*) FROM (SELECT 1 FROM event WHERE transition = 'commit' GROUP BY resource_id HAVING count(*) > 1) t) AS twice,
    (SELECT count(*) FROM job WHERE status NOT IN ${ENDED}) AS stuck,
    (SELECT count(*) FROM job WHERE status IN ${SPENT}) AS ended,
    (SELECT count(*) FROM event WHERE name = 'job.write.refused') AS refused,
    (SELECT count(*) FROM event WHERE transition = 'lease_lost') AS lost`)
  const store = await openDirectoryStore(folder)
  const artifacts = await db.query<{ object_key: string; content_sha256: string }>(
    sql`SELECT a.object_key, a.content_sha256 FROM artifact a JOIN job j ON j.artifact_id = a.artifact_id AND j.status = ${state(jobMachine, 'COMPLETE')}`,
  )
  let whole = 0
  for (const a of artifacts.rows) {
    if (await getVerified(store, a.object_key, a.content_sha256).catch(() => null)) whole++
  }
  return { ...(rows[0] ?? { complete: 0, twice: 0, stuck: 0, ended: 0, refused: 0, lost: 0 }), whole }
}

async function main(): Promise<void> {
  const stage = await openStage()
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bloom-chaos-'))
  const workers: WorkerProcess[] = []
  const start = () =>
    startWorker({ DATABASE_URL: stage.url, STORE_DIR: folder, UP_TO_MS: '300', WORKER_JOBS: '24' })
  try {
    const db = stage.database
    await createAgents(db, AGENTS)
    await enqueue(db)
    for (let n = 0; n < WORKERS; n++) workers.push(start())
    const began = performance.now()
    const struck = await storm(stage, workers, start)
    const seconds = (performance.now() - began) / 1000
    for (const worker of workers) await worker.stop()
    const found = await audit(db, folder)
    const lost = JOBS - found.complete - found.stuck - found.ended
    const report = reportOf('chaos:queue')
    report.figure(
      'run',
      `${WORKERS} workers, ${JOBS} jobs, ${struck.killed} × SIGKILL, ${struck.stopped} × SIGSTOP, ${struck.crashed} database crashes in ${seconds.toFixed(0)} s`,
    )
    report.figure(
      'leases',
      `${found.lost} reaped, ${found.refused} stale writes refused, ${struck.requeued} jobs requeued after losing every attempt`,
    )
    report.figure('ended', `${found.complete} complete, ${found.ended} failed or dead, ${found.stuck} stuck`)
    report.check('every job is complete, once', found.complete === JOBS && found.twice === 0, found)
    report.check('none is lost or stuck', lost === 0 && found.stuck === 0, found)
    report.check('every artifact is whole under its digest', found.whole === JOBS, found)
    const enough = struck.killed >= MIN_STRIKES
    report.check(`at least ${MIN_STRIKES} kills, or the run says nothing`, enough, struck)
    report.verdict()
  } finally {
    for (const worker of workers) worker.child.kill('SIGKILL')
    await stage.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

await main()
