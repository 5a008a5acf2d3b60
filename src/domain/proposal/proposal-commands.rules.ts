import type { Role } from '../authority/caller.ts'
import { can } from '../kernel/machine.ts'
import { type ProposalEvent, type ProposalState, proposalMachine } from './proposal.machine.ts'

/** What a person may do to a Proposal: events of the machine, and commands that change no state (P15, P17–P19). */
export const PROPOSAL_COMMANDS = [
  'approve',
  'reject',
  'undo',
  'retry',
  'force',
  'discard',
  'resubmit',
  'extend',
  'revert',
  'archive',
  'unarchive',
] as const
export type ProposalCommand = (typeof PROPOSAL_COMMANDS)[number]

/** The states in which the commands that are no events may happen. */
const WITHOUT_EVENT: Partial<Record<ProposalCommand, readonly ProposalState[]>> = {
  resubmit: ['REJECTED', 'EXPIRED'],
  extend: ['PENDING'],
  revert: ['APPLIED'],
  archive: ['APPLIED', 'REJECTED', 'DISCARDED', 'EXPIRED'],
  unarchive: ['APPLIED', 'REJECTED', 'DISCARDED', 'EXPIRED'],
}

/** Failures whose cause is another content of the target: the way out is force, reject or a fresh proposal, not a repeat. */
export const CONFLICT_FAILURES: readonly string[] = ['conflict', 'target_missing', 'target_exists']
/** Failures an operator may retry, since they concern the machinery alone (P11). */
export const INFRASTRUCTURE_FAILURES: readonly string[] = ['storage_unavailable', 'timeout', 'internal']

export type CommandSubject = {
  status: ProposalState
  archived: boolean
  errorCode: string | null
  /** True when the target differs in a way that cannot be merged; approve is then not offered. */
  inConflict: boolean
}

/** Whether the state alone allows the command. */
export const stateAllows = (command: ProposalCommand, status: ProposalState): boolean =>
  WITHOUT_EVENT[command]?.includes(status) ?? can(proposalMachine, status, command as ProposalEvent)

function guardAllows(command: ProposalCommand, subject: CommandSubject): boolean {
  const code = subject.errorCode ?? ''
  if (command === 'approve') return !subject.inConflict
  if (command === 'retry') return !CONFLICT_FAILURES.includes(code)
  if (command === 'force') return CONFLICT_FAILURES.includes(code)
  if (command === 'archive') return !subject.archived
  if (command === 'unarchive') return subject.archived
  return true
}

/** The commands this role may give now, in the order of the buttons (section 9; page 09, section 2). */
export function commandsFor(role: Role, subject: CommandSubject): ProposalCommand[] {
  const open = PROPOSAL_COMMANDS.filter((c) => stateAllows(c, subject.status) && guardAllows(c, subject))
  if (role === 'owner') return open
  const infrastructure = INFRASTRUCTURE_FAILURES.includes(subject.errorCode ?? '')
  return role === 'operator' && infrastructure ? open.filter((c) => c === 'retry') : []
}
