import { can } from '../kernel/machine.ts'
import { type ProposalState, proposalMachine } from './proposal.machine.ts'

/** True while a decision or its application still depends on the garden as it is now. */
export const isOpen = (status: ProposalState): boolean =>
  can(proposalMachine, status, 'reject') || can(proposalMachine, status, 'take')
