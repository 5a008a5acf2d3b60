import { defineMachine, type EventOf, type StateOf } from '../kernel/machine.ts'

/** The lease of an LLM Task, a row of its own for each that was granted [runtime#lease]. How it ended stays. */
export const taskLeaseMachine = defineMachine({
  name: 'task_lease',
  states: ['active', 'expired', 'released', 'failed'],
  final: ['expired', 'released', 'failed'],
  events: {
    grant: { from: null, to: 'active' },
    renew: { from: ['active'], to: 'active' },
    expire: { from: ['active'], to: 'expired' },
    release: { from: ['active'], to: 'released' },
    fail: { from: ['active'], to: 'failed' },
  },
})

export type TaskLeaseState = StateOf<typeof taskLeaseMachine>
export type TaskLeaseEvent = EventOf<typeof taskLeaseMachine>
