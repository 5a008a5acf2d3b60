import type { RunState } from './run.machine.ts'
import { CANCELLED, FAILED } from './run.rules.ts'
import { PHASES, type Phase, type StepState, stepMachine } from './step.machine.ts'

/**
 * The seven phases of a run on one time axis ([runs#phases]): read off the run's times and its steps.
 * All positions are milliseconds after `requestedAt`; `ms` null means that the phase goes on.
 */
export type PhaseState =
  | 'pending'
  | 'running'
  | 'waiting'
  | 'done'
  | 'failed'
  | 'cancelled'
  | 'skipped'
  | 'reused'
export type RunTimes = {
  status: RunState
  requestedAt: Date
  queuedAt: Date | null
  startedAt: Date | null
  finishedAt: Date | null
  /** True while step 02 waits for something outside. */
  waiting: boolean
}
export type StepTimes = {
  step: number
  status: StepState
  startedAt: Date
  finishedAt: Date | null
  reused?: boolean
}
export type PhaseRow = {
  phase: number
  name: Phase
  state: PhaseState
  startedAt: Date | null
  startMs: number | null
  ms: number | null
}

const RUNNING_STEP = stepMachine.events.begin.to
const FAILED_STEP = stepMachine.events.give_up.to

/** How the part of a run that was under way when it ended is shown. */
const ENDED: Partial<Record<RunState, PhaseState>> = { [FAILED]: 'failed', [CANCELLED]: 'cancelled' }

export function phasesOf(run: RunTimes, steps: readonly StepTimes[]): PhaseRow[] {
  const ended = ENDED[run.status]
  const stepPhases = [1, 2, 3, 4].map((n) => {
    const step = steps.find((s) => s.step === n)
    if (!step) return span(run, ended ? 'skipped' : 'pending', null, null)
    // A copied step was executed before this run was asked for: it has no place on its axis.
    if (step.reused) return span(run, 'reused', null, null)
    const going = run.waiting ? 'waiting' : 'running'
    const state =
      step.status === RUNNING_STEP ? (ended ?? going) : step.status === FAILED_STEP ? 'failed' : 'done'
    return span(run, state, step.startedAt, step.finishedAt ?? run.finishedAt)
  })
  const rows = [
    span(run, stateOf(run, run.queuedAt, 'running'), run.requestedAt, run.queuedAt ?? run.finishedAt),
    run.queuedAt
      ? span(run, stateOf(run, run.startedAt, 'waiting'), run.queuedAt, run.startedAt ?? run.finishedAt)
      : span(run, ended ? 'skipped' : 'pending', null, null),
    ...stepPhases,
    // A run that failed or was cancelled is told of as well: the last phase does not share its outcome.
    run.finishedAt ? span(run, 'done', run.finishedAt, run.finishedAt) : span(run, 'pending', null, null),
  ]
  return rows.map((row, i) => ({ phase: i + 1, name: PHASES[i] as Phase, ...row }))
}

function stateOf(run: RunTimes, passed: Date | null, during: PhaseState): PhaseState {
  return passed ? 'done' : (ENDED[run.status] ?? during)
}

function span(run: RunTimes, state: PhaseState, start: Date | null, end: Date | null) {
  return {
    state,
    startedAt: start,
    startMs: start ? start.getTime() - run.requestedAt.getTime() : null,
    ms: start && end ? end.getTime() - start.getTime() : null,
  }
}

/** The value below which 95 % of `durations` lie (nearest rank); null when there are fewer than five. */
export function p95(durations: readonly number[]): number | null {
  if (durations.length < 5) return null
  const sorted = [...durations].sort((a, b) => a - b)
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? null
}
