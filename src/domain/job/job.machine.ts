import { defineMachine, type EventOf, type StateOf } from '../kernel/machine.ts'

/** The Job machine; each event is a row J1–J18 of [jobs#transitions]. */
export const jobMachine = defineMachine({
  name: 'job',
  states: [
    'PENDING',
    'QUEUED',
    'CONTEXT_ASSEMBLY',
    'NOTEBOOKLM_CALL',
    'ARTIFACT_WRITE',
    'COMPLETE',
    'RETRY_BACKOFF',
    'FAILED',
    'DEAD',
  ],
  final: ['COMPLETE'],
  events: {
    submit: { from: null, to: 'PENDING' },
    admit: { from: ['PENDING'], to: 'QUEUED' },
    refuse: { from: ['PENDING'], to: 'FAILED' },
    pick_up: { from: ['QUEUED'], to: 'CONTEXT_ASSEMBLY' },
    context_ready: { from: ['CONTEXT_ASSEMBLY'], to: 'NOTEBOOKLM_CALL' },
    context_timeout: { from: ['CONTEXT_ASSEMBLY'], to: 'RETRY_BACKOFF' },
    nlm_answered: { from: ['NOTEBOOKLM_CALL'], to: 'ARTIFACT_WRITE' },
    nlm_busy: { from: ['NOTEBOOKLM_CALL'], to: 'RETRY_BACKOFF' },
    fatal: { from: ['NOTEBOOKLM_CALL'], to: 'FAILED' },
    commit: { from: ['ARTIFACT_WRITE'], to: 'COMPLETE' },
    write_error: { from: ['ARTIFACT_WRITE'], to: 'RETRY_BACKOFF' },
    lease_lost: { from: ['CONTEXT_ASSEMBLY', 'NOTEBOOKLM_CALL', 'ARTIFACT_WRITE'], to: 'RETRY_BACKOFF' },
    backoff_elapsed: { from: ['RETRY_BACKOFF'], to: 'QUEUED' },
    exhausted: { from: ['RETRY_BACKOFF'], to: 'FAILED' },
    bury: { from: ['FAILED'], to: 'DEAD' },
    operator_fail: {
      from: ['PENDING', 'QUEUED', 'CONTEXT_ASSEMBLY', 'NOTEBOOKLM_CALL', 'RETRY_BACKOFF'],
      to: 'FAILED',
    },
    cancel: {
      from: ['PENDING', 'QUEUED', 'CONTEXT_ASSEMBLY', 'NOTEBOOKLM_CALL', 'RETRY_BACKOFF'],
      to: 'FAILED',
    },
    requeue: { from: ['FAILED', 'DEAD'], to: 'QUEUED' },
  },
})

export type JobState = StateOf<typeof jobMachine>
export type JobEvent = EventOf<typeof jobMachine>

/** The states in which somebody holds the job under a lease and a fence. */
export const ACTIVE_JOB_STATES = [
  'CONTEXT_ASSEMBLY',
  'NOTEBOOKLM_CALL',
  'ARTIFACT_WRITE',
] as const satisfies readonly JobState[]
export type ActiveJobState = (typeof ACTIVE_JOB_STATES)[number]
