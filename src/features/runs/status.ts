import type { RunPhase, RunStepView } from '#contracts/run.contract.ts'
import type { RunState } from '#domain/run/run.machine.ts'
import type { StatusStyle } from '#ui/status-badge.tsx'
import type { Tone } from '#ui/tone.ts'

/** How each state of a Run looks, everywhere. */
export const STATUS_STYLES: Record<RunState, StatusStyle> = {
  requested: { tone: 'waiting' },
  queued: { tone: 'waiting' },
  running: { tone: 'working' },
  completed: { tone: 'done' },
  failed: { tone: 'failed' },
  cancelled: { tone: 'held' },
}

/** The tone of a phase; null where it has not been reached. */
export const PHASE_TONE: Record<RunPhase['state'], Tone | null> = {
  pending: null,
  running: 'working',
  waiting: 'waiting',
  done: 'done',
  failed: 'failed',
  cancelled: 'held',
  skipped: 'held',
  reused: 'held',
}

export const STEP_STYLES: Record<RunStepView['status'], StatusStyle> = {
  pending: { tone: 'held' },
  running: { tone: 'working' },
  completed: { tone: 'done' },
  failed: { tone: 'failed' },
  skipped: { tone: 'held' },
}
