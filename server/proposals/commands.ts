/**
 * Every command over a Proposal as the edges call it: tRPC and REST share these, so that neither knows more than the other
 * ([proposals#commands]). Roles are checked by the edge's builder; what a use-case narrows further it refuses itself.
 */
import type {
  ApproveInput,
  CommandAnswer,
  ExtendInput,
  ForceInput,
  RejectInput,
  SuccessorAnswer,
} from '#contracts/proposal.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import type { Result } from '#domain/kernel/result.ts'
import { resubmitProposal } from '#server/inbox/resubmit-proposal.ts'
import { revertProposal } from '#server/inbox/revert-proposal.ts'
import type { SuccessorServices } from '#server/inbox/submit-successor.ts'
import { answerCommand, answerSuccessor } from './answer-command.ts'
import { discardProposal } from './close-proposal.ts'
import { approveProposal, type DecisionServices, rejectProposal, undoApproval } from './decide-proposal.ts'
import { archiveProposal, extendProposal, unarchiveProposal } from './flag-proposal.ts'
import { forceApply, retryApply } from './reapply-proposal.ts'

export type CommandServices = DecisionServices & SuccessorServices
type Id = { proposal_id: string }
type Answer = Promise<Result<CommandAnswer>>

/** The commands by name: `(services, input, caller)`. */
export const proposalCommands = {
  approve: async (s: CommandServices, input: ApproveInput, caller: Caller): Answer =>
    answerCommand(s, caller, await approveProposal(s, input, caller)),
  reject: async (s: CommandServices, input: RejectInput, caller: Caller): Answer =>
    answerCommand(s, caller, await rejectProposal(s, input, caller)),
  undo: async (s: CommandServices, input: Id, caller: Caller): Answer =>
    answerCommand(s, caller, await undoApproval(s, input, caller)),
  retry: async (s: CommandServices, input: Id, caller: Caller): Answer =>
    answerCommand(s, caller, await retryApply(s, input, caller)),
  force: async (s: CommandServices, input: ForceInput, caller: Caller, steppedUp: boolean): Answer =>
    answerCommand(s, caller, await forceApply(s, input, caller, { steppedUp })),
  discard: async (s: CommandServices, input: Id, caller: Caller): Answer =>
    answerCommand(s, caller, await discardProposal(s, input, caller)),
  extend: async (s: CommandServices, input: ExtendInput, caller: Caller): Answer =>
    answerCommand(s, caller, await extendProposal(s, input, caller)),
  archive: async (s: CommandServices, input: Id, caller: Caller): Answer =>
    answerCommand(s, caller, await archiveProposal(s, input, caller)),
  unarchive: async (s: CommandServices, input: Id, caller: Caller): Answer =>
    answerCommand(s, caller, await unarchiveProposal(s, input, caller)),
  resubmit: async (s: CommandServices, input: Id, caller: Caller): Promise<Result<SuccessorAnswer>> =>
    answerSuccessor(s, caller, await resubmitProposal(s, input, caller)),
  revert: async (s: CommandServices, input: Id, caller: Caller): Promise<Result<SuccessorAnswer>> =>
    answerSuccessor(s, caller, await revertProposal(s, input, caller)),
} as const
