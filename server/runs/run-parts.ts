import type { RunErrorCode } from '#contracts/run.contract.ts'
import type { RetryCause } from '#domain/run/retry.rules.ts'
import type { Services } from '#server/composition/services.ts'
import type { RunDoors } from './run-doors.ts'

/** What the pipeline works with. */
export type RunParts = Pick<
  Services,
  'db' | 'database' | 'store' | 'garden' | 'executor' | 'hints' | 'log'
> & {
  /** Who holds the leases: one name a process. */
  holder: string
  doors: RunDoors
  /** Rests between tries; comes back early, without an error, when the signal comes. */
  pause(ms: number, signal?: AbortSignal): Promise<void>
  /** Told of each named durable point; a crash test ends the process in it. */
  failpoint?(name: string): void | Promise<void>
}

/** A run under this process's lease: writes carry the fence. */
export type Held = {
  runId: string
  fence: number
  /** Says to leave the work of this step where it is and to look around at the next safe point. */
  readonly signal: AbortSignal
  /** At a safe point, after looking around: what was said until now counts as heard. */
  heard(): void
  /** True once the process wants to stop: the run is handed back at its next safe point. */
  stopping(): boolean
}

/** Why a step did not come to its end: a run error code, and what kind of retry may help (contract page 03, sections 3 and 13). */
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

/** The lease went to somebody else, or the run ended: nothing more may be written. */
export class FenceLost extends Error {
  constructor(runId: string) {
    super(`${runId} is held by somebody else`)
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
