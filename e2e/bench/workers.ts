/**
 * Several workers on one PostgreSQL: jobs a second from the moment when all of them are up to the last job sealed, for 1, 2 and 4 (WORKERS).
 * Each has the usual places; N jobs wait before they start. The parts are what the statements of all of them took, so what does not
 * scale grows with their number.
 */
import type { Figures } from './figures.ts'
import { AGENTS, enqueueAll, JOBS, openJobs, tracedWorker, untilDone } from './queue-run.ts'
import { createAgents, openStage, type Stage } from './queue-stage.ts'
import { perJob, type Steps } from './queue-steps.ts'

const WORKERS = (process.env.WORKERS ?? '1,2,4').split(',').map(Number)

function sumOf(all: readonly Steps[]): Steps {
  const sum: Steps = {}
  for (const [step, { ms, count }] of all.flatMap((steps) => Object.entries(steps))) {
    const before = sum[step] ?? { ms: 0, count: 0 }
    sum[step] = { ms: before.ms + ms, count: before.count + count }
  }
  return sum
}

async function drainBy(stage: Stage, count: number): Promise<{ perSecond: number; steps: Steps }> {
  await enqueueAll(stage)
  await stage.database.pool.query('CHECKPOINT')
  await stage.database.pool.query('ANALYZE')
  const workers = Array.from({ length: count }, () => tracedWorker(stage, {}))
  try {
    await Promise.all(workers.map(({ ready }) => ready))
    const [began, waiting] = [performance.now(), await openJobs(stage)]
    await untilDone(stage)
    const perSecond = (waiting / (performance.now() - began)) * 1_000
    await Promise.all(workers.map((worker) => worker.stop()))
    return { perSecond, steps: sumOf(workers.map(({ steps }) => steps)) }
  } finally {
    for (const { child } of workers) child.kill('SIGTERM')
  }
}

export async function benchWorkers(figures: Figures): Promise<void> {
  const stage = await openStage()
  try {
    await createAgents(stage.database, AGENTS)
    const [alone] = WORKERS
    let one = Number.NaN
    for (const count of WORKERS) {
      const { perSecond, steps } = await drainBy(stage, count)
      if (count === alone) one = perSecond
      figures.add(`${count} workers`, perSecond, { unit: 'jobs/s', breakdown: perJob(steps, JOBS) })
      if (count !== alone) figures.add(`${count} workers ÷ ${alone}`, perSecond / one, { unit: '×' })
    }
  } finally {
    await stage.close()
  }
}
