import type { z } from 'zod'
import * as commandWire from '#contracts/proposal-commands.contract.ts'
import { rebaseInput } from '#contracts/proposal-conflict.contract.ts'
import { ok, type Result } from '#domain/kernel/result.ts'
import { type OperationContext, operations, write } from '#server/operations/operation.ts'
import { itemsOf } from '#server/proposals/proposal-view.ts'
import { editProposal } from './edit-proposal.ts'
import { rebaseProposal } from './rebase-proposal.ts'
import { resubmitProposal } from './resubmit-proposal.ts'
import { revertProposal } from './revert-proposal.ts'
import type { Successor } from './submit-successor.ts'

type Work<I> = (
  services: OperationContext['services'],
  input: I,
  caller: OperationContext['caller'],
) => Promise<Result<Successor>>

/** Answers with the new proposal: 201, or 200 when an open one was there already. */
const successor = <I extends z.ZodType>(input: I, work: Work<z.output<I>>) => ({
  status: 201 as const,
  statusOf: ({ unchanged }: { unchanged: boolean }) => (unchanged ? 200 : 201),
  input,
  output: commandWire.successorAnswer,
  run: async ({ services, caller }: OperationContext, given: z.output<I>) => {
    const made = await work(services, given, caller)
    if (!made.ok) return made
    const { row, unchanged, inboxId } = made.value
    const [item] = await itemsOf(services.garden, [row], caller.role)
    if (!item) throw new Error('a row gives an item')
    return ok({ unchanged, proposal: item, inbox_id: inboxId })
  },
})

/** Commands on a proposal that make a new one; they go through the Inbox like every proposal. */
export const proposalSuccessors = operations('proposals', {
  resubmit: write('proposal.decide', {
    summary: 'Resubmit a proposal on the current content',
    rest: 'POST /api/v1/proposals/{proposal_id}/resubmit',
    ...successor(commandWire.proposalIdInput, resubmitProposal),
  }),
  revert: write('proposal.decide', {
    summary: 'Propose to revert an applied proposal',
    rest: 'POST /api/v1/proposals/{proposal_id}/revert',
    ...successor(commandWire.proposalIdInput, revertProposal),
  }),
  rebase: write('proposal.decide', {
    summary: 'Rebase a proposal onto the current content',
    rest: 'POST /api/v1/proposals/{proposal_id}/rebase',
    bodyLimit: 'large',
    // A lost race rolls back what it began, and then says why.
    transaction: 'own',
    ...successor(rebaseInput, rebaseProposal),
  }),
  edit: write('proposal.decide', {
    summary: 'Approve a proposal in part, or as edited',
    rest: 'POST /api/v1/proposals/{proposal_id}/edit',
    bodyLimit: 'large',
    // As above.
    transaction: 'own',
    status: 201 as const,
    statusOf: ({ unchanged }: { unchanged: boolean }) => (unchanged ? 200 : 201),
    input: commandWire.editInput,
    output: commandWire.editAnswer,
    run: async ({ services, caller }: OperationContext, input: commandWire.EditInput) => {
      const made = await editProposal(services, input, caller)
      if (!made.ok) return made
      const { row, unchanged, inboxId, remainder } = made.value
      const items = await itemsOf(services.garden, remainder ? [row, remainder] : [row], caller.role)
      const [item, rest] = items
      if (!item) throw new Error('a row gives an item')
      return ok({ unchanged, proposal: item, inbox_id: inboxId, remainder: rest ?? null })
    },
  }),
})
