import type { SelectionView } from '#contracts/llm-task.contract.ts'
import type { AttemptView } from '#contracts/task-report.contract.ts'
import type { TaskState } from '#domain/task/task.machine.ts'
import type { TaskLeaseState } from '#domain/task/task-lease.machine.ts'
import { STATUS_ICONS, type StatusStyle } from '#ui/status-badge.tsx'

/** How each state of an LLM Task looks, everywhere. */
export const STATUS_STYLES: Record<TaskState, StatusStyle> = {
  queued: { tone: 'waiting' },
  leased: { tone: 'working' },
  running: { tone: 'working' },
  completed: { tone: 'done' },
  failed: { tone: 'failed' },
  dead: { tone: 'dead' },
}

/** A task that a person cancelled: failed in the ledger, but nothing went wrong. */
export const CANCELLED_STYLE: StatusStyle = { tone: 'held', icon: STATUS_ICONS.refused }
/** A task that failed and is tried again by itself. */
export const RETRY_STYLE: StatusStyle = { tone: 'waiting' }

/** How each state of a lease looks. */
export const LEASE_STYLES: Record<TaskLeaseState, StatusStyle> = {
  active: { tone: 'working' },
  expired: { tone: 'waiting' },
  released: { tone: 'done' },
  failed: { tone: 'failed' },
}

/** How the end of an attempt looks. */
export const OUTCOME_STYLES: Record<NonNullable<AttemptView['outcome']>, StatusStyle> = {
  completed: { tone: 'done' },
  failed: { tone: 'failed' },
  expired: { tone: 'failed' },
  handed_back: { tone: 'held' },
  canceled: CANCELLED_STYLE,
}

/** How a worker fared in a selection. */
export const VERDICT_STYLES: Record<SelectionView['considered'][number]['verdict'], StatusStyle> = {
  chosen: { tone: 'done' },
  passed_over: { tone: 'held' },
  filtered: { tone: 'held', icon: STATUS_ICONS.refused },
}
