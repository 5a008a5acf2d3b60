import { defineMachine, type StateOf } from '../kernel/machine.ts'

/**
 * The record of one selection that wrote, or was about to write, a lease ([membridge#selections]). `promote` ends it once lease, fence and
 * audit object stand; `refuse` when the lease went to somebody else or was never seen. One that was refused and comes to be after all, by a
 * write that was long under way, is promoted.
 */
export const selectionMachine = defineMachine({
  name: 'membridge_selection',
  states: ['pending', 'promoted', 'refused'],
  final: ['promoted'],
  events: {
    request: { from: null, to: 'pending' },
    promote: { from: ['pending', 'refused'], to: 'promoted' },
    refuse: { from: ['pending'], to: 'refused' },
  },
})

export type SelectionState = StateOf<typeof selectionMachine>
