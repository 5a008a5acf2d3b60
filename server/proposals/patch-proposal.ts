import type { z } from 'zod'
import type { CommandAnswer, patchProposalInput } from '#contracts/proposal.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import type { Result } from '#domain/kernel/result.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { type CommandServices, proposalCommands } from './commands.ts'

/** `PATCH /proposals/{id}`: approve or reject by the status that is wanted, under the same rules. */
export function patchProposal(
  services: CommandServices,
  { proposal_id, status, decision_note, reason_code, review_digest }: z.infer<typeof patchProposalInput>,
  caller: Caller,
): Promise<Result<CommandAnswer>> {
  if (status === proposalMachine.events.approve.to)
    return proposalCommands.approve(services, { proposal_id, review_digest }, caller)
  const rejection = { proposal_id, decision_note: decision_note ?? '', reason_code }
  return proposalCommands.reject(services, rejection, caller)
}
