import type { Refusal } from '../kernel/errors.ts'
import { type RunState, runMachine } from './run.machine.ts'
import { isFinal } from './run.rules.ts'
import { STEPS } from './step.machine.ts'

/** The steps a run can be replayed from; step 04 alone would do nothing. */
export const RERUN_STEPS = [1, 2, 3] as const
export type RerunStep = (typeof RERUN_STEPS)[number]
/** Characters of the reason for a replay. */
export const RERUN_REASON = { min: 3, max: 256 } as const

/** What a replay needs to know of the run that it replays. */
export type RerunSource = { status: RunState; completed: readonly number[] }

/** The steps that a replay from this one copies instead of executing them. */
export const reusedFrom = (fromStep: number): number[] =>
  STEPS.map(({ n }) => n as number).filter((n) => n < fromStep)

/** The steps that this run can be replayed from: those whose predecessors are all completed. None while it goes on. */
export const rerunnableFrom = ({ status, completed }: RerunSource): RerunStep[] =>
  isFinal(status) ? RERUN_STEPS.filter((n) => reusedFrom(n).every((step) => completed.includes(step))) : []

/** Why a run cannot be replayed from this step with these parameters, or null ([runs#reruns]). */
export function rerunFault(source: RerunSource, fromStep: number, hasParams: boolean): Refusal | null {
  const { status } = source
  if (!isFinal(status)) {
    const message = `A run that is ${status} cannot be rerun; it has to end first.`
    return {
      code: 'INVALID_TRANSITION',
      message,
      details: { from: status, event: 'rerun', allowed: [...runMachine.final] },
    }
  }
  if (hasParams && fromStep > 1) {
    const message = 'Other parameters need another context: they can be given only with step 01.'
    return { code: 'VALIDATION_FAILED', message, details: [{ field: 'params', message }] }
  }
  const missing = reusedFrom(fromStep).find((n) => !source.completed.includes(n))
  if (missing === undefined) return null
  const allowed = rerunnableFrom(source)
  const message = `The run did not complete step 0${missing}, so there is nothing to reuse. Rerun it from step 0${allowed.at(-1) ?? 1}.`
  return { code: 'INVALID_TRANSITION', message, details: { from_step: fromStep, missing, allowed } }
}
