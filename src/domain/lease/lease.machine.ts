import { defineMachine } from '../kernel/machine.ts'

/**
 * The lease of a job, a run or an apply, as it is read off its row: free (no holder), held (the end lies ahead on the
 * database clock), lost (the end has passed and the reaper has not come by). Not knowing means not holding.
 */
export const leaseMachine = defineMachine({
  name: 'lease',
  states: ['free', 'held', 'lost'],
  final: [],
  events: {
    acquire: { from: ['free'], to: 'held' },
    renew: { from: ['held'], to: 'held' },
    release: { from: ['held'], to: 'free' },
    lapse: { from: ['held'], to: 'lost' },
    reap: { from: ['lost'], to: 'free' },
  },
})
