import { type ChangeBase, isCommutative } from './conflict.rules.ts'
import type { ProposalState } from './proposal.machine.ts'

/** At most this many proposals are decided by one batch ([proposals#batch]). */
export const BATCH_LIMIT = 50

/** What a batch may do to each of its proposals. */
export const DECISIONS = ['APPROVED', 'REJECTED'] as const satisfies readonly ProposalState[]
export type Decision = (typeof DECISIONS)[number]

/** Why a proposal of a batch cannot be decided so; `awaiting_changes`: its agent works on changes that were requested. */
export const EXCLUSIONS = ['conflict', 'expired', 'decided', 'awaiting_changes', 'not_found'] as const
export type Exclusion = (typeof EXCLUSIONS)[number]

/** The states in which the decision already holds, so that a batch that is repeated leaves the proposal as it is. */
const HOLDS: Record<Decision, readonly ProposalState[]> = {
  APPROVED: ['APPROVED', 'AUTO_APPROVED', 'APPLYING', 'APPLIED'],
  REJECTED: ['REJECTED', 'DISCARDED'],
}

export const decisionHolds = (decision: Decision, status: ProposalState): boolean =>
  HOLDS[decision].includes(status)

/**
 * Whether a proposal will be in conflict once those before it in the batch are applied: a file that they change is no longer what it was
 * made on, and only changes that commute bear that ([proposals#conflicts]).
 */
export const overlaps = (
  changes: readonly { path: string; diff: ChangeBase['diff'] }[],
  changed: ReadonlySet<string>,
): boolean => changes.some(({ path, diff }) => changed.has(path) && !isCommutative(diff))
