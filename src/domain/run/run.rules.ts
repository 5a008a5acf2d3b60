import { type JobState, jobMachine } from '../job/job.machine.ts'
import { type RunState, runMachine } from './run.machine.ts'

/** The states of a run by what they mean for the code; the machine's table alone spells them. */
export const REQUESTED: RunState = runMachine.events.request.to
export const QUEUED: RunState = runMachine.events.accept.to
export const RUNNING: RunState = runMachine.events.start.to
export const COMPLETED: RunState = runMachine.events.complete.to
export const FAILED: RunState = runMachine.events.fail.to
export const CANCELLED: RunState = runMachine.events.cancel.to
/** A run that has not started: it counts against the queue limit of its agent. */
export const WAITING_STATES: readonly [RunState, ...RunState[]] = [REQUESTED, QUEUED]
export const isFinal = (status: RunState): boolean => runMachine.final.includes(status)

/** A job with an artifact for the run that asked for it. */
export const JOB_COMPLETE: JobState = jobMachine.events.commit.to
/** The run stops waiting for a job in these states. A later requeue of the job continues without the run. */
export const JOB_ENDED: readonly [JobState, ...JobState[]] = [
  JOB_COMPLETE,
  jobMachine.events.exhausted.to,
  jobMachine.events.bury.to,
]

/** Characters of a text in a run's params. */
export const PARAM_CHARS = 8_000

const QUESTION_KEYS = ['question', 'query', 'task', 'topic'] as const

const TITLE_LENGTH = 160

/** The question on one line, shortened for a list; empty when the params hold no text. */
export function runTitle(params: Record<string, unknown>): string {
  const line = questionOf(params).replace(/\s+/gu, ' ')
  return line.length > TITLE_LENGTH ? `${line.slice(0, TITLE_LENGTH - 1)}…` : line
}

/** The text in a run's params that agents read as the question; empty when there is none. */
export function questionOf(params: Record<string, unknown>): string {
  for (const key of QUESTION_KEYS) {
    const value = params[key]
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
  }
  return ''
}
