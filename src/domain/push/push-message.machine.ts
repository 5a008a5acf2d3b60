import { defineMachine, type StateOf } from '../kernel/machine.ts'

/** The machine of one message to one device ([push#delivery]). What no longer waits when it would be sent is dropped. */
export const pushMessageMachine = defineMachine({
  name: 'push_message',
  states: ['pending', 'delivered', 'dropped', 'failed'],
  final: ['delivered', 'dropped', 'failed'],
  events: {
    request: { from: null, to: 'pending' },
    attempt: { from: ['pending'], to: 'pending' },
    deliver: { from: ['pending'], to: 'delivered' },
    drop: { from: ['pending'], to: 'dropped' },
    fail: { from: ['pending'], to: 'failed' },
  },
})

export type PushMessageState = StateOf<typeof pushMessageMachine>
