import { defineMachine, type StateOf } from '../kernel/machine.ts'

/** The inbox entry machine ([inbox#states]). */
export const inboxMachine = defineMachine({
  name: 'inbox_entry',
  states: ['pending', 'processed', 'rejected', 'expired'],
  final: ['processed', 'rejected', 'expired'],
  events: {
    receive: { from: null, to: 'pending' },
    resolve: { from: ['pending'], to: 'processed' },
    refuse: { from: ['pending'], to: 'rejected' },
    expire: { from: ['pending'], to: 'expired' },
  },
})

export type InboxState = StateOf<typeof inboxMachine>
