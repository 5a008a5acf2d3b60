import { defineMachine, type EventOf, type StateOf } from '../kernel/machine.ts'

/**
 * The Leadership Lease as it is read off `lease.json` ([leadership#lease]). It has no row in the ledger: the object decides.
 * `lapse` and `damage` are no writes of ours: time passes, or something that does not know the conditions writes the object.
 */
export const leadershipLeaseMachine = defineMachine({
  name: 'leadership_lease',
  states: ['absent', 'valid', 'expired', 'unreadable'],
  final: [],
  events: {
    bootstrap: { from: ['absent'], to: 'valid' },
    renew: { from: ['valid', 'expired'], to: 'valid' },
    take_over: { from: ['expired'], to: 'valid' },
    select: { from: ['absent', 'valid', 'expired'], to: 'valid' },
    force_select: { from: ['unreadable'], to: 'valid' },
    lapse: { from: ['valid'], to: 'expired' },
    damage: { from: ['valid', 'expired'], to: 'unreadable' },
  },
})

export type LeaseState = StateOf<typeof leadershipLeaseMachine>
/** The events that are writes of ours. */
export type LeaseWriteEvent = Exclude<EventOf<typeof leadershipLeaseMachine>, 'lapse' | 'damage'>
