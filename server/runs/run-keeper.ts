/**
 * The runs that one process holds: takes new ones as its room allows, keeps their leases, looks at every scan whether one was
 * lost or is to be cancelled, and gives them back when the process stops.
 *
 * Nothing here is needed for correctness. A keeper that dies leaves leases that run out, and another resumes (R9); one that
 * is too slow loses its fence and its writes change nothing. Who cannot renew for a lease's length stops working: not knowing
 * means not holding.
 */
import { LEASE_SECONDS } from '#domain/job/job.rules.ts'
import { withTimeout } from '#server/concurrency/with-timeout.ts'
import { advanceRun, type RunEnd } from './advance-run.ts'
import { renewLeases, resumeExpired, troubled, wakeWaiting } from './claim-runs.ts'
import { enqueueRuns } from './enqueue-runs.ts'
import { projectRun } from './project-run.ts'
import type { Held, RunParts } from './run-parts.ts'
import type { RunRow } from './run-row.ts'

const TRUST_MS = (LEASE_SECONDS - 15) * 1_000
const STOP_GRACE_MS = 5_000

export type RunKeeper = {
  /** One look at the ledger: accept, start, resume, wake, cancel. Returns how many runs were taken up. */
  tick(): Promise<number>
  /** Renews the leases of what is held; due every 10 s. */
  heartbeat(): Promise<void>
  /** Hands everything back at the next safe point, or after 5 s where it stands; returns within 10 s. */
  stop(): Promise<void>
  /** The ids of the runs that are worked on now. */
  held(): string[]
}

type Work = Held & { interrupt(): void; lose(): void; done: Promise<unknown> }

export function createRunKeeper(parts: RunParts, options: { capacity: number }): RunKeeper {
  const works = new Map<string, Work>()
  let stopping = false
  let renewedAt = performance.now()

  const take = (run: RunRow) => {
    const work = newWork(run, () => stopping)
    works.set(run.run_id, work)
    work.done = advanceRun(parts, work)
      .then((end: RunEnd) => parts.log.debug({ run_id: run.run_id, end }, 'run let go'))
      .catch((err) => parts.log.error({ run_id: run.run_id, err }, 'run dropped; its lease runs out'))
      .finally(() => {
        if (works.get(run.run_id) === work) works.delete(run.run_id)
      })
  }
  const room = () => options.capacity - works.size

  const lookForWork = async (): Promise<number> => {
    const resumed = room() > 0 ? await resumeExpired(parts.db, parts.holder, room()) : []
    for (const run of resumed) take(run)
    const woken = room() > 0 ? await wakeWaiting(parts.db, parts.holder, room()) : []
    for (const run of woken) take(run)
    const { started, changed } = await enqueueRuns(parts, room())
    for (const run of started) take(run)
    await Promise.all(changed.map((id) => projectLater(parts, id)))
    const taken = resumed.length + woken.length + started.length
    if (taken + changed.length > 0) parts.hints.hint('events')
    return taken
  }

  return {
    async tick() {
      for (const { run_id, lost } of await troubled(parts.db, [...works.values()])) {
        if (lost) works.get(run_id)?.lose()
        else works.get(run_id)?.interrupt()
      }
      return stopping ? 0 : lookForWork()
    },
    async heartbeat() {
      const before = [...works.values()]
      if (before.length === 0) {
        renewedAt = performance.now()
        return
      }
      const asked = performance.now()
      try {
        const renewed = await renewLeases(parts.db, parts.holder, before)
        renewedAt = asked
        const ours = new Set(renewed.map((r) => `${r.run_id}:${r.fence}`))
        for (const work of before) if (!ours.has(`${work.runId}:${work.fence}`)) work.lose()
      } catch (error) {
        if (performance.now() - renewedAt > TRUST_MS) for (const work of before) work.lose()
        throw error
      }
    },
    async stop() {
      stopping = true
      const all = [...works.values()]
      await graceFor(all)
      for (const work of works.values()) work.interrupt()
      // What does not even hear this is left to its fence.
      await graceFor(all)
    },
    held: () => [...works.keys()],
  }
}

/** Waits for the works to end, but no longer than the grace. */
async function graceFor(works: readonly Work[]): Promise<void> {
  const ended = () => Promise.all(works.map((work) => work.done))
  await withTimeout({ ms: STOP_GRACE_MS }, ended).catch(() => {})
}

function newWork(run: RunRow, stopping: () => boolean): Work {
  let controller = new AbortController()
  let gone = false
  return {
    runId: run.run_id,
    fence: run.fence,
    get signal() {
      return controller.signal
    },
    heard() {
      if (controller.signal.aborted && !gone) controller = new AbortController()
    },
    stopping,
    interrupt: () => controller.abort(),
    lose() {
      gone = true
      controller.abort()
    },
    done: Promise.resolve(),
  }
}

async function projectLater(parts: RunParts, runId: string): Promise<void> {
  await projectRun(parts, runId).catch((err) =>
    parts.log.warn({ run_id: runId, err }, 'the projection waits for the outbox'),
  )
}
