/**
 * Chaos of the queue: real worker processes, one of which is killed with SIGKILL every second, over real
 * PostgreSQL and a real object store. At the end every job must be COMPLETE exactly once with its artifact's bytes under their digest.
 *
 * A killed worker's leases would expire after 60 s and its jobs' backoffs after 15 s and more; the programme moves both into the past for the
 * jobs of killed workers alone, which changes nothing but the wait. A run with too few kills counts as invalid.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import sql from 'sql-template-tag'
import { GATEWAY } from '#domain/authority/caller.ts'
import { jobMachine } from '#domain/job/job.machine.ts'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { submitJob } from '#server/jobs/submit-job.ts'
import type { Db } from '#server/ledger/database.ts'
import { state, states } from '#server/ledger/states.ts'
import { getVerified } from '#server/ports/object-store.ts'
import { startWorker, type WorkerProcess } from '#worker/testing/start-worker.ts'
import { agentName, createAgents, openStage } from '../bench/queue-stage.ts'
import { reportOf } from '../fixtures/report.ts'

const JOBS = Number(process.env.JOBS ?? 2_000)
const WORKERS = Number(process.env.WORKERS ?? 4)
const KILL_EVERY_MS = Number(process.env.KILL_EVERY_MS ?? 1_000)
const LIMIT_MS = Number(process.env.LIMIT_MS ?? 600_000)
const AGENTS = 64
const MIN_KILLS = 10
const ENDED = states(jobMachine, 'COMPLETE', 'FAILED', 'DEAD')

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

const openJobs = async (db: Db): Promise<number> => {
  const { rows } = await db.query<{ n: number }>(
    sql`SELECT count(*) AS n FROM job WHERE status NOT IN ${ENDED}`,
  )
  return rows[0]?.n ?? 0
}

/** The time passes for what a killed worker had leased. */
async function passTime(db: Db, pid: number | undefined): Promise<void> {
  await db.query(
    sql`UPDATE job SET lease_expires_at = clock_timestamp() - interval '1 second' WHERE lease_holder LIKE ${`instant:${pid}:%`}`,
  )
  await db.query(
    sql`UPDATE job SET not_before = clock_timestamp() WHERE status = ${state(jobMachine, 'RETRY_BACKOFF')}`,
  )
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
    (SELECT count(*) FROM job WHERE status IN ${states(jobMachine, 'FAILED', 'DEAD')}) AS ended,
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
    let kills = 0
    while ((await openJobs(db)) > 0 && performance.now() - began < LIMIT_MS) {
      await pause(KILL_EVERY_MS)
      const victim = workers.shift() as WorkerProcess
      victim.child.kill('SIGKILL')
      await victim.ended
      kills++
      workers.push(start())
      await passTime(db, victim.child.pid)
    }
    const seconds = (performance.now() - began) / 1000
    for (const worker of workers) await worker.stop()
    const found = await audit(db, folder)
    const lost = JOBS - found.complete - found.stuck - found.ended
    const report = reportOf('chaos:queue')
    report.figure('run', `${WORKERS} workers, ${JOBS} jobs, ${kills} × kill -9 in ${seconds.toFixed(0)} s`)
    report.figure('leases', `${found.lost} reaped, ${found.refused} stale writes refused`)
    report.figure('ended', `${found.complete} complete, ${found.ended} failed or dead, ${found.stuck} stuck`)
    report.check('every job is complete, once', found.complete === JOBS && found.twice === 0, found)
    report.check('none is lost or stuck', lost === 0 && found.stuck === 0, found)
    report.check('every artifact is whole under its digest', found.whole === JOBS, found)
    report.check(`at least ${MIN_KILLS} kills, or the run says nothing`, kills >= MIN_KILLS, kills)
    report.verdict()
  } finally {
    for (const worker of workers) worker.child.kill('SIGKILL')
    await stage.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

await main()
