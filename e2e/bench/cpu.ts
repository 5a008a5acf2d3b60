/**
 * Who uses the processors during SECONDS (60) of queue work: jobs are sent whenever few wait, one worker does them and projects. Shares are of
 * all processors of the machine; `others` is what else it did meanwhile.
 *
 *   SECONDS        how long it is measured
 *   PROFILE=folder the worker writes a processor profile of its whole life there (*.cpuprofile, for the developer tools of a browser)
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startWorker } from '#worker/testing/start-worker.ts'
import type { Figures } from './figures.ts'
import { allProcesses, descendantsOf, hasProc, machineSeconds, processorSeconds } from './processes.ts'
import { AGENTS, enqueueAll, openJobs, untilDone } from './queue-run.ts'
import { createAgents, openStage, type Stage } from './queue-stage.ts'

const SECONDS = Number(process.env.SECONDS ?? 60)
const { PROFILE } = process.env
/** So many wait at least, and so many are sent at a time. */
const [LOW, BATCH] = [500, 250]
const WARM_UP_MS = 3_000

type Used = { worker: number; sender: number; postgresql: number; busy: number; idle: number }

/** Seconds of processor until now. The server's own count has that of connections which have ended. */
function usedUntilNow(worker: number, stage: Stage): Used {
  const servers = descendantsOf(stage.serverPid, allProcesses()).map(({ pid }) => pid)
  const postgresql = [stage.serverPid, ...servers].reduce((sum, pid) => sum + processorSeconds(pid), 0)
  const { busy, idle } = machineSeconds()
  const { user, system } = process.cpuUsage()
  return { worker: processorSeconds(worker), sender: (user + system) / 1e6, postgresql, busy, idle }
}

async function keepBusy(stage: Stage, until: number): Promise<void> {
  while (performance.now() < until) {
    if ((await openJobs(stage)) < LOW) await enqueueAll(stage, BATCH)
    else await pause(50)
  }
}

async function doneJobs({ database }: Stage): Promise<number> {
  const { rows } = await database.pool.query<{ n: number }>(
    'SELECT count(*) AS n FROM job WHERE finished_at IS NOT NULL',
  )
  return rows[0]?.n ?? 0
}

function addShares(figures: Figures, before: Used, after: Used, jobs: number): void {
  const spent = (name: keyof Used) => after[name] - before[name]
  const whole = spent('busy') + spent('idle')
  const share = (seconds: number) => (seconds / whole) * 100
  const [worker, sender, postgresql] = [spent('worker'), spent('sender'), spent('postgresql')]
  const rest = Math.max(0, spent('busy') - worker - sender - postgresql)
  figures.add('PostgreSQL', share(postgresql), { unit: '%' })
  figures.add('Node, worker', share(worker), { unit: '%' })
  figures.add('Node, sender', share(sender), { unit: '%' })
  figures.add('others', share(rest), { unit: '%' })
  figures.add('idle', share(spent('idle')), { unit: '%' })
  const parts = { PostgreSQL: (postgresql / jobs) * 1e6, worker: (worker / jobs) * 1e6 }
  figures.add('processor of a job', parts.PostgreSQL + parts.worker, {
    ...{ unit: 'µs', breakdown: { unit: 'µs', parts } },
  })
}

export async function benchCpu(figures: Figures): Promise<void> {
  if (!hasProc) return figures.note('left out: there is no /proc here')
  const stage = await openStage()
  const store = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-cpu-store-'))
  const options = PROFILE ? ['--cpu-prof', `--cpu-prof-dir=${path.resolve(PROFILE)}`] : []
  try {
    await createAgents(stage.database, AGENTS)
    const env = { DATABASE_URL: stage.url, STORE_DIR: store, PROJECT: '1' }
    const worker = startWorker(env, (line) => figures.note(`the worker ${line}`), options)
    await worker.ready
    await keepBusy(stage, performance.now() + WARM_UP_MS)
    const pid = worker.child.pid ?? 0
    const [before, doneBefore, began] = [usedUntilNow(pid, stage), await doneJobs(stage), performance.now()]
    await keepBusy(stage, began + SECONDS * 1_000)
    const [after, jobs] = [usedUntilNow(pid, stage), (await doneJobs(stage)) - doneBefore]
    figures.add('jobs done', (jobs / (performance.now() - began)) * 1_000, { unit: 'jobs/s' })
    addShares(figures, before, after, jobs)
    await untilDone(stage)
    await worker.stop()
  } finally {
    await stage.close()
    fs.rmSync(store, { recursive: true, force: true })
  }
}
