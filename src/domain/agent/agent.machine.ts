import { defineMachine, type EventOf, type StateOf } from '../kernel/machine.ts'

/** The agent machine; who makes which transition: [agents#transitions]. */
export const agentMachine = defineMachine({
  name: 'agent',
  states: ['draft', 'active', 'paused', 'error', 'archived', 'deleted'],
  final: ['deleted'],
  events: {
    create: { from: null, to: 'draft' },
    activate: { from: ['draft'], to: 'active' },
    pause: { from: ['active', 'error'], to: 'paused' },
    resume: { from: ['paused'], to: 'active' },
    break: { from: ['active'], to: 'error' },
    recover: { from: ['error'], to: 'active' },
    archive: { from: ['draft', 'active', 'paused', 'error'], to: 'archived' },
    restore: { from: ['archived'], to: 'draft' },
    delete: { from: ['archived'], to: 'deleted' },
  },
})

export type AgentState = StateOf<typeof agentMachine>
export type AgentEvent = EventOf<typeof agentMachine>
