import sql from 'sql-template-tag'
import type { StepNumber } from '#domain/run/retry.rules.ts'
import { RUN_LIMIT_SECONDS, STEPS } from '#domain/run/step.machine.ts'
import { type Held, Interrupted, RunFault, type RunParts } from './run-parts.ts'
import type { RunRow } from './run-row.ts'

/**
 * The work within the step's limit and what is left of the run's; it is left at once when the run is to stop. Work that goes
 * on behind our back can write nothing: the fence or the state is another by then.
 */
export async function limited<T>(
  parts: RunParts,
  held: Held,
  run: RunRow,
  step: StepNumber,
  work: (held: Held) => Promise<T>,
): Promise<T> {
  const left = await secondsLeft(parts, run)
  const limit = Math.min(STEPS.find((s) => s.n === step)?.limit ?? 30, left)
  const given = new AbortController()
  const signal = AbortSignal.any([held.signal, given.signal])
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => {
        const whole = limit === left
        reject(
          new RunFault(
            'AGENT_TIMEOUT',
            whole
              ? `The run's ${RUN_LIMIT_SECONDS} s are over.`
              : `Step 0${step} took longer than ${limit} s.`,
            whole ? null : 'crash',
          ),
        )
      },
      Math.max(0, limit * 1000),
    )
  })
  const told = new Promise<never>((_, reject) => {
    if (held.signal.aborted) reject(new Interrupted())
    held.signal.addEventListener('abort', () => reject(new Interrupted()), { once: true })
  })
  try {
    return await Promise.race([work({ ...held, signal }), late, told])
  } finally {
    clearTimeout(timer)
    given.abort()
  }
}

/** Seconds of the run's limit that are left, on the ledger's clock. */
export async function secondsLeft({ db }: Pick<RunParts, 'db'>, run: RunRow): Promise<number> {
  const { rows } = await db.query<{ left: number }>(
    sql`SELECT ${RUN_LIMIT_SECONDS} - extract(epoch FROM clock_timestamp() - started_at)::float8 AS left FROM run WHERE run_id = ${run.run_id}`,
  )
  return rows[0]?.left ?? 0
}
