import { type ProposalState, proposalMachine } from './proposal.machine.ts'

/** At most this many proposals are decided by one batch ([proposals#batch]). */
export const BATCH_LIMIT = 50

const { approve, reject } = proposalMachine.events
/** What a batch may do to each of its proposals. */
export type Decision = typeof approve.to | typeof reject.to
export const DECISIONS = [approve.to, reject.to] as const

/** The states in which the decision already holds, so that a batch that is repeated leaves the proposal as it is. */
const HOLDS: Record<Decision, readonly ProposalState[]> = {
  APPROVED: ['APPROVED', 'AUTO_APPROVED', 'APPLYING', 'APPLIED'],
  REJECTED: ['REJECTED', 'DISCARDED'],
}

export const decisionHolds = (decision: Decision, status: ProposalState): boolean =>
  HOLDS[decision].includes(status)
