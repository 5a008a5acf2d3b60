import sql from 'sql-template-tag'
import type { StepNumber } from '#domain/run/retry.rules.ts'
import { RUN_LIMIT_SECONDS, STEPS } from '#domain/run/step.machine.ts'
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
  const given = new AbortController()
  const signal = AbortSignal.any([lease.signal, given.signal])
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => {
        const whole = limit === left
        reject(
          new RunFault(
            'AGENT_TIMEOUT',
            whole
              ? `The run exceeded its limit of ${RUN_LIMIT_SECONDS} s.`
              : `Step 0${step} took longer than ${limit} s.`,
            whole ? null : 'crash',
          ),
        )
      },
      Math.max(0, limit * 1000),
    )
  })
  const stopped = new Promise<never>((_, reject) => {
    if (lease.signal.aborted) reject(new Interrupted())
    lease.signal.addEventListener('abort', () => reject(new Interrupted()), { once: true })
  })
  try {
    return await Promise.race([work({ runId: lease.runId, fence: lease.fence, signal }), late, stopped])
  } finally {
    clearTimeout(timer)
    given.abort()
  }
}

/** Seconds left of the run's limit, on the ledger's clock. */
export async function secondsLeft({ db }: Pick<RunParts, 'db'>, run: RunRow): Promise<number> {
  const { rows } = await db.query<{ left: number }>(
    sql`SELECT ${RUN_LIMIT_SECONDS} - extract(epoch FROM clock_timestamp() - started_at)::float8 AS left FROM run WHERE run_id = ${run.run_id}`,
  )
  return rows[0]?.left ?? 0
}
