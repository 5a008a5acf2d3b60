import { defineMachine, type EventOf, type StateOf } from '../kernel/machine.ts'

/**
 * The Push Lock as it is read off `active.lock` ([leadership#push-lock]): free when absent or released, otherwise by its age.
 * `age` and `outlive` are no writes: time passes. `withdraw` is written over what a take that was not answered may still replace.
 */
export const pushLockMachine = defineMachine({
  name: 'push_lock',
  states: ['free', 'active', 'grace', 'stale'],
  final: [],
  events: {
    acquire: { from: ['free'], to: 'active' },
    renew: { from: ['active', 'grace', 'stale'], to: 'active' },
    steal: { from: ['stale'], to: 'active' },
    override: { from: ['active', 'grace', 'stale'], to: 'active' },
    release: { from: ['active', 'grace', 'stale'], to: 'free' },
    withdraw: { from: ['free', 'active', 'grace', 'stale'], to: 'free' },
    age: { from: ['active'], to: 'grace' },
    outlive: { from: ['grace'], to: 'stale' },
  },
})

export type LockState = StateOf<typeof pushLockMachine>
/** The events that are writes of ours. */
export type LockWriteEvent = Exclude<EventOf<typeof pushLockMachine>, 'age' | 'outlive'>
