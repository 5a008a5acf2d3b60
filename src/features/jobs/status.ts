import { type JobState, jobMachine } from '#domain/job/job.machine.ts'
import { STATUS_ICONS, type StatusStyle } from '#ui/status-badge.tsx'

/** How each state of a Job looks, everywhere. */
export const STATUS_STYLES: Record<JobState, StatusStyle> = {
  PENDING: { tone: 'waiting' },
  QUEUED: { tone: 'waiting' },
  CONTEXT_ASSEMBLY: { tone: 'working' },
  NOTEBOOKLM_CALL: { tone: 'working' },
  ARTIFACT_WRITE: { tone: 'working' },
  COMPLETE: { tone: 'done' },
  RETRY_BACKOFF: { tone: 'waiting' },
  FAILED: { tone: 'failed' },
  DEAD: { tone: 'dead' },
}

/** A job that a person cancelled: FAILED in the ledger, but nothing went wrong. */
export const CANCELLED_STYLE: StatusStyle = { tone: 'held', icon: STATUS_ICONS.refused }

/** The states of the normal path, and those off it. */
export const MAIN_STATES = [
  'PENDING',
  'QUEUED',
  'CONTEXT_ASSEMBLY',
  'NOTEBOOKLM_CALL',
  'ARTIFACT_WRITE',
  'COMPLETE',
] as const satisfies readonly JobState[]
export const SIDE_STATES: readonly JobState[] = jobMachine.states.filter(
  (state) => !(MAIN_STATES as readonly JobState[]).includes(state),
)
