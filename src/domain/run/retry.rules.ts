import { RUN_RETRY_BUDGET } from './step.machine.ts'

/**
 * Limits and retries of a step, one row a step and cause ([runs#step-limits-and-retries]). Retries of steps and tools draw on
 * one budget of the run, so they never multiply ([runs#I-R8]).
 */
export type StepNumber = 1 | 2 | 3 | 4
export type RetryCause = 'upstream' | 'storage' | 'model' | 'crash'

/** Seconds before each retry; as many retries as there are numbers. */
const SHORT = [1, 2, 4] as const
const UPSTREAM = [5, 5] as const

const RETRIED: Record<StepNumber, Partial<Record<RetryCause, readonly number[]>>> = {
  1: { upstream: UPSTREAM, storage: SHORT, crash: SHORT },
  2: { model: SHORT, crash: SHORT, storage: SHORT, upstream: SHORT },
  3: { storage: SHORT, upstream: SHORT, crash: SHORT },
  4: { storage: SHORT, upstream: SHORT, crash: SHORT },
}

/** What brought a step down: `cause` null is final whatever the step. */
export type StepFault = { code: string; message: string; cause: RetryCause | null }

export type AfterFault = { retry: true; afterSeconds: number } | { retry: false; budgetSpent: boolean }

/** Whether the step is tried again: `failures` counts this one, `retriesUsed` is the run's before it. */
export function afterStepFault(
  step: StepNumber,
  fault: Pick<StepFault, 'cause'>,
  failures: number,
  retriesUsed: number,
): AfterFault {
  const delays = fault.cause === null ? [] : (RETRIED[step][fault.cause] ?? [])
  const afterSeconds = delays[failures - 1]
  if (afterSeconds === undefined) return { retry: false, budgetSpent: false }
  if (retriesUsed >= RUN_RETRY_BUDGET) return { retry: false, budgetSpent: true }
  return { retry: true, afterSeconds }
}
