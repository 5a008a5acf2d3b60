import sql from 'sql-template-tag'
import type { StepNumber } from '#domain/run/retry.rules.ts'
import { RUN_LIMIT_SECONDS, STEPS } from '#domain/run/step.machine.ts'
import { TimedOut, withTimeout } from '#server/concurrency/with-timeout.ts'
import { Interrupted, RunFault, type RunParts, type StepLease } from './run-parts.ts'
import type { RunRow } from './run-row.ts'

/**
 * Runs the work within the step's limit and what is left of the run's; abandons it at once when the run is to stop. Abandoned work that
 * continues in the background can write nothing: the fence or the state has changed by then.
 */
export async function withTimeLimit<T>(
  parts: RunParts,
  lease: StepLease,
  run: RunRow,
  step: StepNumber,
  work: (lease: StepLease) => Promise<T>,
): Promise<T> {
  const left = await secondsLeft(parts, run)
  const limit = Math.min(STEPS.find((s) => s.n === step)?.limit ?? 30, left)
  const { signal: stop } = lease
  if (stop.aborted) throw new Interrupted()
  try {
    return await withTimeout({ ms: Math.max(0, limit * 1000), signal: stop }, (signal) =>
      work({ runId: lease.runId, fence: lease.fence, signal }),
    )
  } catch (error) {
    if (error instanceof TimedOut) throw overrun(step, limit, limit === left)
    throw error === stop.reason && stop.aborted ? new Interrupted() : error
  }
}

/** The run's own limit is final; a step's is like a crash of the step, and may be retried. */
const overrun = (step: StepNumber, seconds: number, whole: boolean): RunFault =>
  whole
    ? new RunFault('AGENT_TIMEOUT', `The run exceeded its limit of ${RUN_LIMIT_SECONDS} s.`, null)
    : new RunFault('STEP_TIMEOUT', `Step 0${step} took longer than ${seconds} s.`, 'crash')

/** Seconds left of the run's limit, on the ledger's clock; the time that it was parked does not count. */
export async function secondsLeft({ db }: Pick<RunParts, 'db'>, run: RunRow): Promise<number> {
  const { rows } = await db.query<{ left: number }>(
    sql`SELECT ${RUN_LIMIT_SECONDS} + parked_ms::float8 / 1000 - extract(epoch FROM clock_timestamp() - started_at)::float8 AS left FROM run WHERE run_id = ${run.run_id}`,
  )
  return rows[0]?.left ?? 0
}
