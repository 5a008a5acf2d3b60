import type { JobEvent, JobState } from './job.machine.ts'

/** Seconds of backoff before retry number `attempt + 1`; no jitter, so that the countdown on screen is exact ([jobs#retries]). */
const BACKOFF_SECONDS = [15, 30, 60] as const
const RETRY_AFTER_CAP_SECONDS = 300
export const LEASE_SECONDS = 60
export const HEARTBEAT_SECONDS = 10
export const REAPER_SECONDS = 15
export const SCAN_SECONDS = 2
export const DEFAULT_MAX_ATTEMPTS = 3

/** Time limits of the phases, in seconds, watched by a live holder ([jobs#leases-and-fences]). */
export const PHASE_LIMIT_SECONDS = { CONTEXT_ASSEMBLY: 10, NOTEBOOKLM_CALL: 120, ARTIFACT_WRITE: 10 } as const

/**
 * The backoff before the next attempt for each `attempt` from 0, in whole seconds; later attempts back off as long as the last one. A `Retry-After`
 * lengthens it (never shortens it), to at most 300 s. The ledger's SQL is built from this table.
 */
export const backoffTable = (retryAfter = 0): number[] =>
  BACKOFF_SECONDS.map((base) => Math.max(base, Math.min(Math.ceil(retryAfter), RETRY_AFTER_CAP_SECONDS)))

export const JOB_TYPES = ['RESEARCH', 'BRIEF', 'PROPOSAL_PREPROCESS'] as const
export type JobType = (typeof JOB_TYPES)[number]

/** A job in one of these has ended, and can be replayed ([jobs#replays]). */
export const REPLAYABLE_STATES = ['COMPLETE', 'FAILED', 'DEAD'] as const satisfies readonly JobState[]

export const FAILURE_KINDS = ['exhausted', 'invalid', 'operator', 'cancelled'] as const
export type FailureKind = (typeof FAILURE_KINDS)[number]

/** The failure kind that an event into FAILED leaves on the job. */
export const FAILURE_KIND_OF: Partial<Record<JobEvent, FailureKind>> = {
  refuse: 'invalid',
  fatal: 'invalid',
  exhausted: 'exhausted',
  operator_fail: 'operator',
  cancel: 'cancelled',
}

/** Codes of `error.code`: what ended an attempt ([jobs#J6] to [jobs#J12]), or the whole job ([jobs#J3], [jobs#J9], [jobs#J16], [jobs#J17]). */
export const JOB_ERROR_CODES = [
  'CONTEXT_TIMEOUT',
  'RATE_LIMIT',
  'NLM_UNAVAILABLE',
  'NLM_TIMEOUT',
  'STRUCTURE_ERROR',
  'STORAGE_ERROR',
  'LEASE_LOST',
  'VALIDATION_ERROR',
  'NLM_REFUSED',
  'AGENT_NOT_ACTIVE',
  'CANCELLED',
  'OPERATOR_FAILED',
] as const
export type JobErrorCode = (typeof JOB_ERROR_CODES)[number]

export const JOB_WAIT_REASONS = [
  'agent_busy',
  'agent_inactive',
  'backoff',
  'dependency',
  'quota',
  'throttled',
  'breaker_open',
  'maintenance',
  'nlm_unavailable',
] as const

/** Characters of the reason that a person gives. */
export const REASON = { min: 3, max: 256 } as const

/** What people may do to a job, and which event each action is. */
export const JOB_ACTION_EVENTS = {
  cancel: 'cancel',
  fail: 'operator_fail',
  requeue: 'requeue',
} as const satisfies Record<string, JobEvent>
export type JobOperation = (typeof JOB_ACTION_EVENTS)[keyof typeof JOB_ACTION_EVENTS]
