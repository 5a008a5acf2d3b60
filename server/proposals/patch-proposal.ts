import type { z } from 'zod'
import type { patchProposalInput } from '#contracts/proposal-commands.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import type { Result } from '#domain/kernel/result.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { approveProposal, type DecisionServices, rejectProposal } from './decide-proposal.ts'
import type { Outcome } from './transition-proposal.ts'

/** `PATCH /proposals/{id}`: approve or reject by the status that is wanted, under the same rules. */
export function patchProposal(
  services: DecisionServices,
  { proposal_id, status, decision_note, reason_code, review_digest }: z.infer<typeof patchProposalInput>,
  caller: Caller,
): Promise<Result<Outcome>> {
  if (status === proposalMachine.events.approve.to)
    return approveProposal(services, { proposal_id, review_digest }, caller)
  return rejectProposal(services, { proposal_id, decision_note: decision_note ?? '', reason_code }, caller)
}
