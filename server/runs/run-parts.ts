import type { RunErrorCode } from '#contracts/run.contract.ts'
import type { RetryCause } from '#domain/run/retry.rules.ts'
import type { NlmClient } from '#server/jobs/nlm-client.ts'
import type { Services } from '#server/services.ts'

/** What the pipeline works with. */
export type RunParts = Pick<Services, 'db' | 'store' | 'garden' | 'executors' | 'log' | 'entryHandlers'> & {
  env: Pick<Services['env'], 'RATE_AGENT_CHANGES' | 'RUNS_MAX_RUNNING'>
  /** Told when a cancelled run leaves work at the NotebookLM Backend. */
  nlm?: Pick<NlmClient, 'cancel'>
  /** Who holds the leases: one name a process. */
  holder: string
  /** Waits between attempts; returns early, without an error, when the signal is aborted. */
  pause(ms: number, signal?: AbortSignal): Promise<void>
  /** Called at each named durable point; a crash test ends the process there. */
  failpoint?(name: string): void | Promise<void>
}

/** What every write of a holder names: the run and the fence of its lease. */
export type Fenced = { readonly runId: string; readonly fence: number }

/** The lease as the work of a step sees it. */
export type StepLease = Fenced & {
  /** Aborted when the work should stop and the run's row be read again at the next safe point. */
  readonly signal: AbortSignal
}

/** A run under this process's lease. */
export type RunLease = StepLease & {
  /** At a safe point, after reading the row: an interruption until now has been taken into account. */
  acknowledge(): void
  /** True once the lease could not be renewed or was taken over. It stays lost: nobody renews it, and the run is left to whoever resumes it. */
  lost(): boolean
  /** True once the process wants to stop: the run is released at its next safe point. */
  stopping(): boolean
}

/** Why a step failed: a run error code, and the kind of retry that may help ([runs#step-limits-and-retries]). */
export class RunFault extends Error {
  readonly code: RunErrorCode
  readonly retryCause: RetryCause | null
  constructor(code: RunErrorCode, message: string, retryCause: RetryCause | null = null) {
    super(message)
    this.name = 'RunFault'
    this.code = code
    this.retryCause = retryCause
  }
}

/** Another process has the lease, or the run ended: nothing more may be written. */
export class FenceLost extends Error {
  constructor(runId: string) {
    super(`another process holds the lease of ${runId}`)
    this.name = 'FenceLost'
  }
}

/** Work was left on purpose: a cancel, a lost lease, or the end of the process. */
export class Interrupted extends Error {
  constructor() {
    super('interrupted')
    this.name = 'Interrupted'
  }
}
