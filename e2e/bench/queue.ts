/**
 * The queue alone: phases that return at once, so what is measured is the ledger.
 *
 * One PostgreSQL with the server's default settings, one worker process, 64 agents. Every job goes through all its states, each with its
 * event; sealing runs beside it and must have caught up at the end. Measured: single enqueues a second (10 at a time), jobs a second from
 * QUEUED to COMPLETE and sealed, both together, and enqueue → first line of work on an idle system, beside no job that is done, beside those
 * of the drain, and beside HISTORY. Then the same as the product does it: artifacts go into an object store, and the projector, in the same
 * worker, must have written the objects of every event.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import sql from 'sql-template-tag'
import { jobMachine } from '#domain/job/job.machine.ts'
import { fillHistory } from '#server/jobs/testing/queue-plans.ts'
import type { Db } from '#server/ledger/database.ts'
import { state } from '#server/ledger/states.ts'
import { PROJECTOR } from '#server/outbox/consume.ts'
import type { Breakdown, Figures } from './figures.ts'
import { AGENTS, drain, enqueueAll, idleStarts, JOBS, type Started } from './queue-run.ts'
import { createAgents, openStage, type Stage } from './queue-stage.ts'
import { perJob } from './queue-steps.ts'
import { median, percentile, splitWait } from './statistics.ts'

const HISTORY = Number(process.env.HISTORY ?? 0)

const perSecond = (ms: number, count = JOBS): number => (count / ms) * 1_000

/** The projector begins with what comes now. */
const skipProjected = (db: Db) =>
  db.query(sql`INSERT INTO consumer (name, seq) SELECT ${PROJECTOR}, seq FROM event_head
    ON CONFLICT (name) DO UPDATE SET seq = excluded.seq`)

/** Jobs a second with artifacts stored and every event projected. */
async function asShipped(stage: Stage, figures: Figures): Promise<void> {
  const store = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-queue-store-'))
  try {
    await enqueueAll(stage)
    await skipProjected(stage.database)
    const { ms, steps } = await drain(stage, figures.note, store)
    const files = fs.readdirSync(store, { recursive: true, withFileTypes: true })
    const objects = files.filter((file) => file.isFile()).length
    const breakdown = perJob(steps, JOBS)
    figures.add('as shipped, projected', perSecond(ms), { unit: 'jobs/s', aim: { least: 600 }, breakdown })
    figures.add('as shipped, objects', perSecond(ms, objects), { unit: 'objects/s' })
  } finally {
    fs.rmSync(store, { recursive: true, force: true })
  }
}

async function idleLatency(stage: Stage, figures: Figures, beside: string): Promise<void> {
  const started = await idleStarts(stage)
  const waits = started.map(({ wait }) => wait.to - wait.from)
  const name = `enqueue → start, ${beside}`
  const ms = { unit: 'ms', breakdown: startBreakdown(started) }
  figures.add(`${name}, p50`, percentile(waits, 0.5), { ...ms, aim: { most: 4 } })
  figures.add(`${name}, p99`, percentile(waits, 0.99), { unit: 'ms', aim: { most: 10 } })
}

/** Medians of the parts of the waits; they add up to about the median of the whole. */
function startBreakdown(started: readonly Started[]): Breakdown {
  const splits = started
    .filter(({ wait }) => Number.isFinite(wait.to))
    .map(({ wait, enqueued, claims }) =>
      splitWait(wait, { commit: [{ from: wait.from, to: enqueued }], claim: claims }, 'notify'),
    )
  const middle = (part: string) => median(splits.map((split) => split[part] ?? 0))
  const parts = { commit: middle('commit'), notify: middle('notify'), claim: middle('claim') }
  return { unit: 'ms', parts }
}

async function checked(stage: Stage): Promise<string> {
  type Counts = { complete: number; artifacts: number; events: number; sealed: number }
  const { rows } = await stage.database.query<Counts>(sql`SELECT
    (SELECT count(*) FROM job WHERE status = ${state(jobMachine, 'COMPLETE')}) AS complete, (SELECT count(*) FROM artifact) AS artifacts,
    (SELECT count(*) FROM event WHERE resource_type = 'job') AS events, (SELECT seq FROM event_head) AS sealed`)
  const r = rows[0]
  return `${r?.complete} complete, ${r?.artifacts} artifacts, ${r?.events} job events, ${r?.sealed} sealed`
}

export async function benchQueue(figures: Figures): Promise<void> {
  const stage = await openStage()
  try {
    await createAgents(stage.database, AGENTS)
    await idleLatency(stage, figures, 'idle, no history')
    const sent = await enqueueAll(stage)
    const { ms, steps } = await drain(stage, figures.note)
    figures.add('enqueue, singly', perSecond(sent), { unit: 'jobs/s' })
    const breakdown = perJob(steps, JOBS)
    figures.add('all states, sealed', perSecond(ms), { unit: 'jobs/s', aim: { least: 1_300 }, breakdown })
    figures.add('enqueue + all states', perSecond(sent + ms), { unit: 'jobs/s' })
    await idleLatency(stage, figures, `idle, after ${JOBS} jobs`)
    await asShipped(stage, figures)
    figures.note(await checked(stage))
    if (HISTORY > 0) {
      await fillHistory(stage.database, HISTORY)
      await idleLatency(stage, figures, `idle, after ${HISTORY} more`)
    }
  } finally {
    await stage.close()
  }
}
