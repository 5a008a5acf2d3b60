/**
 * The runs that one process works on: takes new ones up to its capacity, renews their leases, checks at every scan whether one was lost
 * or is to be cancelled, and releases them when the process stops.
 *
 * Correctness does not depend on it. When a supervisor dies its leases expire and another process resumes the runs ([runs#R9]); when it is
 * too slow its fence is stale and its writes change nothing. A process that cannot renew for almost a lease's length stops its work: not
 * knowing means not holding.
 */
import { LEASE_SECONDS } from '#domain/job/job.rules.ts'
import { withTimeout } from '#server/concurrency/with-timeout.ts'
import { count } from '#server/metrics/meter.ts'
import { advanceRun, type RunEnd } from './advance-run.ts'
import { enqueueRuns } from './enqueue-runs.ts'
import { releaseParked } from './park-run.ts'
import { projectLater } from './project-run.ts'
import { type ClaimedRun, changedLeases, releaseWaiting, renewLeases, resumeExpired } from './run-leases.ts'
import type { RunLease, RunParts } from './run-parts.ts'

const TRUST_MS = (LEASE_SECONDS - 15) * 1_000
const STOP_GRACE_MS = 5_000

export class RunSupervisor {
  readonly #parts: RunParts
  readonly #capacity: number
  readonly #active = new Map<string, ActiveRun>()
  #stopping = false
  #renewedAt = performance.now()

  constructor(parts: RunParts, { capacity }: { capacity: number }) {
    this.#parts = parts
    this.#capacity = capacity
  }

  /** One scan of the ledger: cancel, resume, release, accept and start. Returns how many runs were taken up. */
  async tick(): Promise<number> {
    for (const { run_id, lost } of await changedLeases(this.#parts.db, [...this.#active.values()])) {
      const run = this.#active.get(run_id)
      if (lost) run?.markLeaseLost()
      else run?.interrupt()
    }
    return this.#stopping ? 0 : this.#takeRuns()
  }

  /** Renews the leases of the active runs; due every 10 s. */
  async heartbeat(): Promise<void> {
    const runs = [...this.#active.values()].filter((run) => !run.lost())
    const asked = performance.now()
    try {
      const renewed = runs.length > 0 ? await renewLeases(this.#parts.db, this.#parts.holder, runs) : []
      this.#renewedAt = asked
      count('lease_extensions_total', { tenant: 'default' }, renewed.length)
      const ours = new Set(renewed.map((r) => `${r.run_id}:${r.fence}`))
      for (const run of runs) if (!ours.has(`${run.runId}:${run.fence}`)) run.markLeaseLost()
    } catch (error) {
      if (performance.now() - this.#renewedAt > TRUST_MS) for (const run of runs) run.markLeaseLost()
      throw error
    }
  }

  /** Releases every run at its next safe point, or after 5 s where it stands; returns within 10 s. */
  async stop(): Promise<void> {
    this.#stopping = true
    const runs = [...this.#active.values()]
    await waitForEnd(STOP_GRACE_MS, runs)
    for (const run of this.#active.values()) run.interrupt()
    // Work that ignores the signal is left to its fence.
    await waitForEnd(STOP_GRACE_MS, runs)
  }

  /** The ids of the runs that are worked on now. */
  activeRuns(): string[] {
    return [...this.#active.keys()]
  }

  async #takeRuns(): Promise<number> {
    const { db, holder } = this.#parts
    const resumed = this.#free() > 0 ? await resumeExpired(db, holder, this.#free()) : []
    for (const run of resumed) this.#work(run)
    const woken = this.#free() > 0 ? await releaseWaiting(db, holder, this.#free()) : []
    for (const run of woken) this.#work(run)
    const answered = this.#free() > 0 ? await releaseParked(this.#parts, this.#free()) : []
    for (const run of answered) this.#work(run)
    const { started, changed } = await enqueueRuns(this.#parts, this.#free())
    for (const run of started) this.#work(run)
    await Promise.all(changed.map((id) => projectLater(this.#parts, id)))
    return resumed.length + woken.length + answered.length + started.length
  }

  #free(): number {
    return this.#capacity - this.#active.size
  }

  #work(claimed: ClaimedRun): void {
    const { log } = this.#parts
    const { run_id } = claimed
    const run = new ActiveRun(claimed, () => this.#stopping)
    this.#active.set(run_id, run)
    run.done = advanceRun(this.#parts, run)
      .then((end: RunEnd) => log.debug({ run_id, end }, 'run released'))
      .catch((err) => log.error({ run_id, err }, 'run abandoned; its lease will expire'))
      .finally(() => {
        if (this.#active.get(run_id) === run) this.#active.delete(run_id)
      })
  }
}

class ActiveRun implements RunLease {
  readonly runId: string
  readonly fence: number
  readonly stopping: () => boolean
  done: Promise<unknown> = Promise.resolve()
  #controller = new AbortController()
  #lost = false

  constructor({ run_id, fence }: ClaimedRun, stopping: () => boolean) {
    this.runId = run_id
    this.fence = fence
    this.stopping = stopping
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  acknowledge(): void {
    if (this.#controller.signal.aborted && !this.#lost) this.#controller = new AbortController()
  }

  lost(): boolean {
    return this.#lost
  }

  interrupt(): void {
    this.#controller.abort()
  }

  markLeaseLost(): void {
    this.#lost = true
    this.#controller.abort()
  }
}

async function waitForEnd(ms: number, runs: readonly ActiveRun[]): Promise<void> {
  await withTimeout({ ms }, () => Promise.all(runs.map((run) => run.done))).catch(() => undefined)
}
