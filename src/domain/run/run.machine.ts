import { defineMachine, type EventOf, type StateOf } from '../kernel/machine.ts'

/** The run machine; who makes which transition: [runs#transitions]. */
export const runMachine = defineMachine({
  name: 'run',
  states: ['requested', 'queued', 'running', 'completed', 'failed', 'cancelled'],
  final: ['completed', 'failed', 'cancelled'],
  events: {
    request: { from: null, to: 'requested' },
    accept: { from: ['requested'], to: 'queued' },
    start: { from: ['queued'], to: 'running' },
    step_done: { from: ['running'], to: 'running' },
    complete: { from: ['running'], to: 'completed' },
    fail: { from: ['running'], to: 'failed' },
    cancel: { from: ['requested', 'queued', 'running'], to: 'cancelled' },
    resume: { from: ['running'], to: 'running' },
  },
})

export type RunState = StateOf<typeof runMachine>
export type RunEvent = EventOf<typeof runMachine>
