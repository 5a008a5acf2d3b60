import { defineMachine, type EventOf, type StateOf } from '../kernel/machine.ts'

/**
 * The life of one piece of work inside the NotebookLM Backend ([nlm-backend#states]). It lives in that process's memory alone
 * and may be lost at any moment: the Job machine of the ledger is the truth, these states only say how far the work has come.
 *
 * `retry` starts failed or cancelled work again when the same job is sent once more; `redeliver` hands finished work over again, under
 * the new write token.
 */
export const nlmWorkMachine = defineMachine({
  name: 'nlm_work',
  states: [
    'ACCEPTED',
    'FETCHING_CONTEXT',
    'BUILDING_PROMPT',
    'NLM_QUERY',
    'STRUCTURING',
    'CALLBACK',
    'DONE',
    'ERROR',
  ],
  final: [],
  events: {
    accept: { from: null, to: 'ACCEPTED' },
    fetch_context: { from: ['ACCEPTED'], to: 'FETCHING_CONTEXT' },
    build_prompt: { from: ['FETCHING_CONTEXT'], to: 'BUILDING_PROMPT' },
    ask: { from: ['BUILDING_PROMPT'], to: 'NLM_QUERY' },
    structure: { from: ['NLM_QUERY'], to: 'STRUCTURING' },
    deliver: { from: ['STRUCTURING'], to: 'CALLBACK' },
    finish: { from: ['CALLBACK'], to: 'DONE' },
    fail: {
      from: ['ACCEPTED', 'FETCHING_CONTEXT', 'BUILDING_PROMPT', 'NLM_QUERY', 'STRUCTURING', 'CALLBACK'],
      to: 'ERROR',
    },
    cancel: {
      from: ['ACCEPTED', 'FETCHING_CONTEXT', 'BUILDING_PROMPT', 'NLM_QUERY', 'STRUCTURING'],
      to: 'ERROR',
    },
    retry: { from: ['ERROR'], to: 'ACCEPTED' },
    redeliver: { from: ['DONE'], to: 'CALLBACK' },
  },
})

export type NlmWorkState = StateOf<typeof nlmWorkMachine>
export type NlmWorkEvent = EventOf<typeof nlmWorkMachine>

/** Time limits of the phases in seconds ([nlm-backend#states]). */
export const NLM_PHASE_LIMIT_SECONDS = {
  FETCHING_CONTEXT: 10,
  BUILDING_PROMPT: 2,
  NLM_QUERY: 60,
  STRUCTURING: 10,
} as const satisfies Partial<Record<NlmWorkState, number>>

/** The error code that the overrun of a phase leaves behind. */
export const NLM_OVERRUN_CODE = {
  FETCHING_CONTEXT: 'CONTEXT_TIMEOUT',
  BUILDING_PROMPT: 'STRUCTURE_ERROR',
  NLM_QUERY: 'NLM_UNAVAILABLE',
  STRUCTURING: 'STRUCTURE_ERROR',
} as const satisfies Record<keyof typeof NLM_PHASE_LIMIT_SECONDS, string>

/** Work that waits above this number is refused with 503 and `Retry-After`. */
export const NLM_QUEUE_LIMIT = 100
export const NLM_CONCURRENCY = 2
/** How long finished work stays readable by `GET /jobs/{id}`, in seconds. */
export const NLM_KEEP_SECONDS = 3600
/** Waits before the attempts of a delivery, in seconds. */
export const NLM_DELIVERY_WAITS_SECONDS = [0, 1, 2, 4, 8, 16] as const
