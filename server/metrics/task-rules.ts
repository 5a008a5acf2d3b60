import { FAILURES, type TaskErrorCode } from '#domain/task/failure.rules.ts'
import { LEASED_TASK_STATES, type TaskEvent, type TaskState } from '#domain/task/task.machine.ts'
import type { TaskLeaseEvent } from '#domain/task/task-lease.machine.ts'
import type { AttemptOutcome } from './catalogue.ts'
import type { EventFacts, Rule } from './event-rules.ts'

/** Transitions that may end a task by themselves; a person who cancels ends it as well, and says nothing of how long tasks take. */
export const TASK_ENDS = ['succeed', 'fail', 'bury', 'expire_dead'] as const satisfies readonly TaskEvent[]

/** The code of a task that ended with an answer. */
const ANSWERED = 'none'
const UNKNOWN = 'unknown'
const RAN_OUT: TaskErrorCode = 'worker_crash'
const CANCELED: TaskErrorCode = 'canceled'

/** What the events of LLM Tasks add [metrics#events]. */
export const task: Rule = (event, tally) => {
  const transition = event.transition as TaskEvent
  const outcome = outcomeOf(transition, event.from_status)
  if (outcome) tally.count('garden_task_attempts_total', { outcome })
  if (transition === 'lease') tally.observe('garden_task_start_seconds', {}, event.in_state)
  const code = codeOfEnd(transition, event)
  if (code === null || !event.to_status) return
  tally.count('garden_tasks_ended_total', { status: event.to_status, code })
  if (transition !== 'cancel') tally.observe('garden_task_seconds', {}, event.age)
}

/** A lease that ran out, or that a person took from its worker. */
export const taskLease: Rule = ({ transition }, tally) => {
  if (transition === ('expire' satisfies TaskLeaseEvent)) tally.count('garden_lease_expired_total', {})
}

const OUTCOMES: Partial<Record<TaskEvent, AttemptOutcome>> = {
  succeed: 'completed',
  fail: 'failed',
  expire: 'expired',
  expire_dead: 'expired',
  hand_back: 'handed_back',
}

function outcomeOf(transition: TaskEvent, from: string | null): AttemptOutcome | undefined {
  if (transition === 'cancel' && LEASED_TASK_STATES.some((state: TaskState) => state === from))
    return 'canceled'
  return OUTCOMES[transition]
}

/** Null where the task goes on: after a failure that another attempt may mend, either `retry` or `bury` follows. */
function codeOfEnd(transition: TaskEvent, { error_code }: EventFacts): string | null {
  if (transition === 'succeed') return ANSWERED
  if (transition === 'expire_dead') return RAN_OUT
  if (transition === 'cancel') return CANCELED
  if (transition === 'bury') return error_code ?? UNKNOWN
  return transition === 'fail' && isFinal(error_code) ? error_code : null
}

const isFinal = (code: string | null): boolean =>
  code !== null && FAILURES[code as TaskErrorCode]?.retry === null
