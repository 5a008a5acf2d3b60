import type { Role } from '../authority/caller.ts'
import { can } from '../kernel/machine.ts'
import { type ProposalEvent, type ProposalState, proposalMachine } from './proposal.machine.ts'

/** What a person may do to a proposal: events of the machine, and commands that change no state ([proposals#P15], [proposals#P17]–P19). */
export const PROPOSAL_COMMANDS = [
  'approve',
  'reject',
  'edit',
  'requestChanges',
  'undo',
  'retry',
  'force',
  'rebase',
  'discard',
  'resubmit',
  'extend',
  'snooze',
  'unsnooze',
  'revert',
  'archive',
  'unarchive',
] as const
export type ProposalCommand = (typeof PROPOSAL_COMMANDS)[number]

/** The states in which the commands that are no events may happen. */
const WITHOUT_EVENT: Partial<Record<ProposalCommand, readonly ProposalState[]>> = {
  edit: ['PENDING', 'FAILED'],
  requestChanges: ['PENDING'],
  resubmit: ['REJECTED', 'EXPIRED'],
  rebase: ['PENDING', 'FAILED'],
  extend: ['PENDING'],
  snooze: ['PENDING'],
  unsnooze: ['PENDING'],
  revert: ['APPLIED'],
  archive: ['APPLIED', 'REJECTED', 'DISCARDED', 'EXPIRED'],
  unarchive: ['APPLIED', 'REJECTED', 'DISCARDED', 'EXPIRED'],
}

/** What puts another proposal in the place of one that is still open ([proposals#P16]); `revise` is its agent's answer to a request for changes. */
export const SUPERSEDING = ['edit', 'rebase', 'revise'] as const
export type Superseding = (typeof SUPERSEDING)[number]

/** Whether a proposal in this state can be superseded: what can still be rejected. */
export const isSupersedable = (status: ProposalState): boolean => can(proposalMachine, status, 'reject')

/** States in which a successor no longer counts, so that another one may be submitted. */
export const CLOSED_WITHOUT_EFFECT: readonly ProposalState[] = ['REJECTED', 'DISCARDED', 'EXPIRED']

/** Codes of a failure that is the garden's content, not the machinery. */
export const CONFLICT_FAILURES: readonly string[] = ['conflict', 'target_missing', 'target_exists']
export const INFRASTRUCTURE_FAILURES: readonly string[] = ['storage_unavailable', 'timeout', 'internal']

/** The target's content differs: force, reject or resubmit; a retry would fail again. */
export const isConflictFailure = (code: string | null | undefined): boolean =>
  CONFLICT_FAILURES.includes(code ?? '')
/** Neither the proposal nor the target is the cause, so an operator may retry ([proposals#P11]). */
export const isInfrastructureFailure = (code: string | null | undefined): boolean =>
  INFRASTRUCTURE_FAILURES.includes(code ?? '')

export type CommandSubject = {
  status: ProposalState
  archived: boolean
  /** Out of the review order until a time that the owner chose. */
  snoozed: boolean
  errorCode: string | null
  /** True when the target differs in a way that cannot be merged; approve is then not offered. */
  inConflict: boolean
  /** Whether it may be approved in part, or with lines of the owner's own; otherwise it is decided as a whole. */
  isEditable: boolean
  /** Its agent works on changes that the owner asked for: until then it can only be rejected, or its time extended. */
  awaitsChanges: boolean
  /** An agent made it, who could be asked for changes. */
  hasAgent: boolean
}

/** What is left while the agent works on the changes that were asked for. */
const WHILE_AWAITED: readonly ProposalCommand[] = ['reject', 'extend']

/** Whether the state alone allows the command. */
export const stateAllows = (command: ProposalCommand, status: ProposalState): boolean =>
  WITHOUT_EVENT[command]?.includes(status) ?? can(proposalMachine, status, command as ProposalEvent)

/** The states that allow the command; every command has one. */
export const statesAllowing = (command: ProposalCommand): readonly [ProposalState, ...ProposalState[]] =>
  proposalMachine.states.filter((status) => stateAllows(command, status)) as [
    ProposalState,
    ...ProposalState[],
  ]

function guardAllows(command: ProposalCommand, subject: CommandSubject): boolean {
  if (subject.status === 'PENDING' && subject.awaitsChanges) return WHILE_AWAITED.includes(command)
  if (command === 'approve') return !subject.inConflict
  if (command === 'edit') return !subject.inConflict && subject.isEditable
  if (command === 'requestChanges') return subject.hasAgent
  if (command === 'retry') return !isConflictFailure(subject.errorCode)
  if (command === 'force') return isConflictFailure(subject.errorCode)
  if (command === 'rebase') return subject.inConflict || isConflictFailure(subject.errorCode)
  if (command === 'snooze') return !subject.snoozed
  if (command === 'unsnooze') return subject.snoozed
  if (command === 'archive') return !subject.archived
  if (command === 'unarchive') return subject.archived
  return true
}

/** Whether the owner may approve by force ([proposals#force]): a conflict refuses the plain approval, and nothing else does. */
export const allowsForcedApproval = (
  subject: Pick<CommandSubject, 'status' | 'inConflict' | 'awaitsChanges'>,
): boolean => stateAllows('approve', subject.status) && subject.inConflict && !subject.awaitsChanges

/** The commands that this role may give now, in the order of the buttons. */
export function commandsFor(role: Role, subject: CommandSubject): ProposalCommand[] {
  const open = PROPOSAL_COMMANDS.filter((c) => stateAllows(c, subject.status) && guardAllows(c, subject))
  if (role === 'owner') return open
  return role === 'operator' && isInfrastructureFailure(subject.errorCode)
    ? open.filter((c) => c === 'retry')
    : []
}
