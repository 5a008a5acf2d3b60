import { defineMachine, type EventOf, type StateOf } from '../kernel/machine.ts'

/** The proposal machine ([proposals#transitions]). Rows that change no state are commands, not events. */
export const proposalMachine = defineMachine({
  name: 'proposal',
  states: [
    'PENDING',
    'APPROVED',
    'AUTO_APPROVED',
    'REJECTED',
    'APPLYING',
    'APPLIED',
    'FAILED',
    'DISCARDED',
    'EXPIRED',
  ],
  final: ['APPLIED', 'DISCARDED', 'EXPIRED'],
  events: {
    create: { from: null, to: 'PENDING' },
    auto_approve: { from: ['PENDING'], to: 'AUTO_APPROVED' },
    approve: { from: ['PENDING'], to: 'APPROVED' },
    reject: { from: ['PENDING', 'FAILED'], to: 'REJECTED' },
    expire: { from: ['PENDING'], to: 'EXPIRED' },
    undo: { from: ['APPROVED'], to: 'PENDING' },
    take: { from: ['APPROVED', 'AUTO_APPROVED'], to: 'APPLYING' },
    applied: { from: ['APPLYING'], to: 'APPLIED' },
    fail: { from: ['APPLYING'], to: 'FAILED' },
    retake: { from: ['APPLYING'], to: 'APPLYING' },
    retry: { from: ['FAILED'], to: 'APPROVED' },
    force: { from: ['FAILED'], to: 'APPROVED' },
    discard: { from: ['REJECTED'], to: 'DISCARDED' },
  },
})

export type ProposalState = StateOf<typeof proposalMachine>
export type ProposalEvent = EventOf<typeof proposalMachine>
