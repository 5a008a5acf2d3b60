/**
 * What a change notifies follows from the change: `transition`, `create` and `recordEvent` announce these topics, and the transaction sends
 * them after its COMMIT. Every change announces `events`, but for one that another follows at once. A notification says to look at the tables and is never data ([ledger#notifications]).
 *
 * `agents` is announced by the Apply Engine, which knows what a commit touches.
 *
 * A topic stands here when somebody could do something now that he could not do before: a lane that becomes free, work that becomes due.
 */
import type { EventOf } from '#domain/kernel/machine.ts'
import type { LEDGER_MACHINES } from '#domain/machines.ts'

export type Topic =
  | 'events'
  | 'sealed'
  | 'jobs'
  | 'calls'
  | 'runs'
  | 'apply'
  | 'agents'
  | 'inbox'
  | 'sessions'
  | 'verification'
  | 'alerts'
  | 'pushes'
  | 'leadership'
  | 'syncs'
  | 'tasks'

type Topics = {
  [M in keyof typeof LEDGER_MACHINES]: Record<EventOf<(typeof LEDGER_MACHINES)[M]>, readonly Topic[] | null>
}

const NONE: readonly Topic[] = []
/**
 * Whoever made this change makes the next within milliseconds and announces that. In between, sealing and open pages would share the
 * processors with its work; where it takes longer, their scans find this one.
 */
const FOLLOWED = null

export const TOPICS: Topics = {
  job: {
    submit: ['jobs'],
    // Admission and pick-up share one commit; the same tick goes on to work.
    admit: NONE,
    pick_up: NONE,
    context_ready: NONE,
    nlm_answered: NONE,
    backoff_elapsed: ['jobs'],
    requeue: ['jobs', 'runs'],
    context_timeout: ['jobs'],
    nlm_busy: ['jobs'],
    write_error: ['jobs'],
    lease_lost: ['jobs'],
    commit: ['jobs', 'runs'],
    fatal: ['jobs', 'runs'],
    refuse: ['jobs', 'runs'],
    exhausted: ['jobs', 'runs'],
    operator_fail: ['jobs', 'runs'],
    cancel: ['jobs', 'runs'],
    bury: ['runs'],
  },
  run: {
    request: ['runs'],
    accept: NONE,
    start: NONE,
    step_done: NONE,
    resume: NONE,
    complete: ['runs'],
    fail: ['runs'],
    cancel: ['runs'],
  },
  llm_task: {
    create: ['tasks'],
    lease: NONE,
    start: NONE,
    succeed: ['tasks', 'runs'],
    fail: ['tasks', 'runs'],
    retry: ['tasks'],
    bury: ['runs'],
    expire: ['tasks'],
    expire_dead: ['tasks', 'runs'],
    hand_back: ['tasks'],
    requeue: ['tasks'],
    cancel: ['tasks', 'runs'],
  },
  // What a lease sets free stands in the event of its task.
  task_lease: { grant: NONE, renew: NONE, expire: NONE, release: NONE, fail: NONE },
  run_step: { begin: NONE, retry: NONE, checkpoint: NONE, give_up: NONE },
  // A run that was asked about may go on.
  run_question: { ask: NONE, answer: ['runs'], expire: ['runs'], withdraw: NONE },
  inbox_entry: { receive: ['inbox'], resolve: NONE, refuse: NONE, expire: NONE },
  proposal: {
    create: NONE,
    auto_approve: ['apply'],
    approve: ['apply'],
    retry: ['apply'],
    force: ['apply'],
    reject: NONE,
    expire: NONE,
    undo: NONE,
    take: FOLLOWED,
    retake: NONE,
    applied: NONE,
    fail: NONE,
    discard: NONE,
  },
  agent: {
    create: NONE,
    // An agent that may work again frees the runs and jobs that waited for it.
    activate: ['jobs', 'runs'],
    resume: ['jobs', 'runs'],
    recover: ['jobs', 'runs'],
    pause: NONE,
    break: NONE,
    archive: NONE,
    restore: NONE,
    delete: NONE,
  },
  zone: { create: NONE, extend: ['sessions'], expire: ['sessions'], revoke: ['sessions'] },
  machine_key: { create: NONE, rotate: NONE, expire: NONE, revoke: NONE },
  alert: { open: NONE, acknowledge: NONE, escalate: NONE, close: NONE },
  alert_delivery: { request: ['alerts'], attempt: NONE, deliver: NONE, fail: NONE },
  push_message: { request: ['pushes'], attempt: NONE, deliver: NONE, drop: NONE, fail: NONE },
  membridge_sync: { request: ['syncs'], push_done: NONE, pull_done: NONE, fail: NONE, give_up: NONE },
  membridge_selection: { request: NONE, promote: NONE, refuse: NONE },
}

/** What a machine's event announces. */
export function topicsOf(machine: keyof Topics, event: string): readonly Topic[] {
  const topics = (TOPICS[machine] as Topics[keyof Topics] as Record<string, readonly Topic[] | null>)[event]
  return topics === FOLLOWED ? [] : ['events', ...(topics ?? [])]
}
