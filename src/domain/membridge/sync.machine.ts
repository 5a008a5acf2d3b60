import { defineMachine, type StateOf } from '../kernel/machine.ts'

/**
 * The machine of one sync of a node ([membridge#syncs]). `failed` is the node's own report; `error` means that no report came: the node was
 * not reached, or the time for an answer is over. A sync is not repeated: another one is asked for.
 */
export const syncMachine = defineMachine({
  name: 'membridge_sync',
  states: ['pending', 'completed', 'failed', 'error'],
  final: ['completed', 'failed', 'error'],
  events: {
    request: { from: null, to: 'pending' },
    push_done: { from: ['pending'], to: 'completed' },
    pull_done: { from: ['pending'], to: 'completed' },
    fail: { from: ['pending'], to: 'failed' },
    give_up: { from: ['pending'], to: 'error' },
  },
})

export type SyncState = StateOf<typeof syncMachine>

export const SYNC_ACTIONS = ['push', 'pull'] as const
export type SyncAction = (typeof SYNC_ACTIONS)[number]
