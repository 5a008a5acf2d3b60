import { z } from 'zod'
import * as commandWire from '#contracts/proposal-commands.contract.ts'
import { ok, type Result } from '#domain/kernel/result.ts'
import { type OperationContext, operations, type Right, write } from '#server/operations/operation.ts'
import { discardProposal } from './close-proposal.ts'
import { approveProposal, rejectProposal, undoApproval } from './decide-proposal.ts'
import { archiveProposal, extendProposal, markSeen, unarchiveProposal } from './flag-proposal.ts'
import { patchProposal } from './patch-proposal.ts'
import { itemsOf } from './proposal-view.ts'
import { forceApply, retryApply } from './reapply-proposal.ts'
import { snoozeProposal, unsnoozeProposal } from './snooze-proposal.ts'
import type { Outcome } from './transition-proposal.ts'

type Work<I, T> = (services: OperationContext['services'], input: I, caller: OperationContext['caller']) => T
const byId = commandWire.proposalIdInput
const at = <P extends string>(rest: P) => `POST /api/v1/proposals/{proposal_id}/${rest}` as const

/** The proposal as it is afterwards. */
async function answered<T extends Outcome>(ctx: OperationContext, outcome: Result<T>) {
  if (!outcome.ok) return outcome
  const { row, ...answer } = outcome.value
  const [item] = await itemsOf(ctx.services.garden, [row], ctx.caller.role)
  if (!item) throw new Error('a row gives an item')
  return ok({ ...answer, proposal: item })
}

const command = <I extends z.ZodType>(input: I, work: Work<z.output<I>, Promise<Result<Outcome>>>) => ({
  input,
  output: commandWire.commandAnswer,
  run: async (ctx: OperationContext, given: z.output<I>) =>
    answered(ctx, await work(ctx.services, given, ctx.caller)),
})

const DECIDE: Right = 'proposal.decide'

/** What the owner (and, for a retry, an operator) does to a proposal. */
export const proposalCommands = operations('proposals', {
  markSeen: write(DECIDE, {
    summary: 'Mark a proposal as seen',
    rest: null,
    input: byId,
    output: z.object({ news: z.boolean() }),
    run: async ({ services }, input) => ({ news: await markSeen(services, input) }),
  }),
  patch: write(DECIDE, {
    summary: 'Approve or reject a proposal, by status',
    rest: 'PATCH /api/v1/proposals/{proposal_id}',
    trpc: false,
    ...command(commandWire.patchProposalInput, patchProposal),
  }),
  approve: write(DECIDE, {
    summary: 'Approve a proposal as reviewed',
    rest: at('approve'),
    input: commandWire.approveInput,
    output: commandWire.commandAnswer,
    // Only an approval by force needs the password again, so the use-case asks for it.
    run: async (ctx, input) => answered(ctx, await approveProposal(ctx.services, input, ctx.caller, ctx)),
  }),
  reject: write(DECIDE, {
    summary: 'Reject a proposal with a note for the agent',
    rest: at('reject'),
    ...command(commandWire.rejectInput, rejectProposal),
  }),
  force: write(DECIDE, {
    summary: 'Force apply a proposal over the stated content',
    rest: at('force'),
    stepUp: true,
    input: commandWire.forceInput,
    output: commandWire.commandAnswer,
    run: async (ctx, input) => answered(ctx, await forceApply(ctx.services, input, ctx.caller, ctx)),
  }),
  extend: write(DECIDE, {
    summary: 'Extend the deadline of a proposal, with a reason',
    rest: at('extend'),
    ...command(commandWire.extendInput, extendProposal),
  }),
  snooze: write(DECIDE, {
    summary: 'Snooze a proposal until a time before it expires',
    rest: at('snooze'),
    ...command(commandWire.snoozeInput, snoozeProposal),
  }),
  unsnooze: write(DECIDE, {
    summary: 'Return a snoozed proposal to the review order',
    rest: at('unsnooze'),
    ...command(byId, unsnoozeProposal),
  }),
  retry: write('proposal.retry', {
    summary: 'Retry a failed apply',
    rest: at('retry'),
    ...command(byId, retryApply),
  }),
  undo: write(DECIDE, {
    summary: 'Undo an approval before it is applied',
    rest: at('undo'),
    // The unique index may refuse it; only what is asked after a rollback can say why.
    transaction: 'own',
    ...command(byId, undoApproval),
  }),
  discard: write(DECIDE, {
    summary: 'Discard a proposal',
    rest: at('discard'),
    ...command(byId, discardProposal),
  }),
  archive: write(DECIDE, {
    summary: 'Archive a proposal',
    rest: at('archive'),
    ...command(byId, archiveProposal),
  }),
  unarchive: write(DECIDE, {
    summary: 'Unarchive a proposal',
    rest: at('unarchive'),
    ...command(byId, unarchiveProposal),
  }),
})
