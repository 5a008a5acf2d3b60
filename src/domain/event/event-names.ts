import type { LEDGER_MACHINES } from '../machines.ts'

type LedgerMachine = keyof typeof LEDGER_MACHINES
type EventsOf<M extends LedgerMachine> = keyof (typeof LEDGER_MACHINES)[M]['events']

/** The audit name of every event of every machine [audit#events]. A step's own events stay inside its run's, a delivery's in its row. */
export const EVENT_NAMES: { [M in LedgerMachine]: Record<EventsOf<M>, string | null> } = {
  inbox_entry: {
    receive: 'inbox.received',
    resolve: 'inbox.processed',
    refuse: 'inbox.rejected',
    expire: 'inbox.expired',
  },
  proposal: {
    create: 'proposal.created',
    auto_approve: 'proposal.auto_approved',
    approve: 'proposal.approved',
    reject: 'proposal.rejected',
    expire: 'proposal.expired',
    undo: 'proposal.undone',
    take: 'proposal.applying',
    retake: 'proposal.applying',
    applied: 'proposal.applied',
    fail: 'proposal.failed',
    retry: 'proposal.retried',
    force: 'proposal.forced',
    discard: 'proposal.discarded',
  },
  job: {
    submit: 'job.created',
    admit: 'job.status.update',
    refuse: 'job.status.update',
    pick_up: 'job.status.update',
    context_ready: 'job.status.update',
    context_timeout: 'job.status.update',
    nlm_answered: 'job.status.update',
    nlm_busy: 'job.status.update',
    fatal: 'job.status.update',
    commit: 'job.status.update',
    write_error: 'job.status.update',
    lease_lost: 'job.status.update',
    backoff_elapsed: 'job.status.update',
    exhausted: 'job.status.update',
    bury: 'job.status.update',
    operator_fail: 'job.status.update',
    cancel: 'job.cancelled',
    requeue: 'job.requeued',
  },
  run: {
    request: 'run.requested',
    accept: 'run.queued',
    start: 'run.started',
    step_done: 'run.step_completed',
    complete: 'run.completed',
    fail: 'run.failed',
    cancel: 'run.cancelled',
    resume: 'run.resumed',
  },
  run_step: { begin: null, retry: null, checkpoint: null, give_up: null },
  run_question: {
    ask: 'question.asked',
    answer: 'question.answered',
    expire: 'question.expired',
    withdraw: 'question.withdrawn',
  },
  agent: {
    create: 'agent.created',
    activate: 'agent.activated',
    pause: 'agent.paused',
    resume: 'agent.resumed',
    break: 'agent.error',
    recover: 'agent.recovered',
    archive: 'agent.archived',
    restore: 'agent.restored',
    delete: 'agent.deleted',
  },
  zone: { create: 'zone.created', extend: 'zone.extended', expire: 'zone.expired', revoke: 'zone.revoked' },
  machine_key: { create: 'key.created', rotate: 'key.rotated', expire: 'key.expired', revoke: 'key.revoked' },
  alert: {
    open: 'incident.opened',
    acknowledge: 'incident.acknowledged',
    escalate: 'incident.escalated',
    close: 'incident.resolved',
  },
  alert_delivery: { request: null, attempt: null, deliver: null, fail: null },
  push_message: { request: null, attempt: null, deliver: null, drop: null, fail: null },
  membridge_sync: {
    request: 'sync.requested',
    push_done: 'sync.pushed',
    pull_done: 'sync.pulled',
    fail: 'sync.failed',
    give_up: 'sync.failed',
  },
  // A refusal is recorded as one, beside the transition.
  membridge_selection: { request: null, promote: 'leadership.promoted', refuse: null },
  llm_task: {
    create: 'task.created',
    lease: 'task.leased',
    start: 'task.started',
    succeed: 'task.completed',
    fail: 'task.failed',
    retry: 'task.queued',
    bury: 'task.dead',
    expire: 'task.queued',
    expire_dead: 'task.dead',
    hand_back: 'task.queued',
    requeue: 'task.requeued',
    cancel: 'task.cancelled',
  },
  // That it was granted or ended well stands in the event of the task.
  task_lease: { grant: null, renew: null, expire: 'lease.expired', release: null, fail: null },
}

/** The audit names of what happens to a device that is notified, which has no states [push-devices#audit]. */
export const DEVICE_EVENTS = { add: 'device.added', remove: 'device.removed' } as const

/** The topic of the event stream, found from the audit name. */
export function topicOf(name: string): string | null {
  if (name === 'inbox.received') return 'inbox.new'
  if (name === 'proposal.created') return 'proposal.created'
  if (name === 'run.step_completed') return 'run.step.completed'
  if (name === 'artifact.created') return 'artifact.created'
  const group = name.split('.')[0]
  const topics: Record<string, string> = {
    inbox: 'inbox.status.changed',
    proposal: 'proposal.status.changed',
    run: 'run.status.changed',
    question: 'question.status.changed',
    job: 'job.status.changed',
    task: 'task.status.changed',
    lease: 'task.status.changed',
    agent: 'agent.status.changed',
    zone: 'zone.changed',
    key: 'key.changed',
    rule: 'governance.changed',
    health: 'health.changed',
    garden: 'health.changed',
    incident: 'incident.changed',
    node: 'worker.status.changed',
    worker: 'worker.status.changed',
    breaker: 'worker.status.changed',
    leadership: 'leadership.changed',
    sync: 'leadership.changed',
  }
  return topics[group ?? ''] ?? null
}
