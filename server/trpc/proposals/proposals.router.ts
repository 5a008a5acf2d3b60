import { z } from 'zod'
import {
  approveInput,
  commandAnswer,
  extendInput,
  forceInput,
  guestProposalView,
  historyEntry,
  proposalCounts,
  proposalFilter,
  proposalIdInput,
  proposalPage,
  proposalView,
  rejectInput,
  successorAnswer,
} from '#contracts/proposal.contract.ts'
import { unwrap } from '#server/auth/refusal-of.ts'
import { proposalCommands } from '#server/proposals/commands.ts'
import { markSeen } from '#server/proposals/flag-proposal.ts'
import { getProposal } from '#server/proposals/get-proposal.query.ts'
import { countProposals, listProposals } from '#server/proposals/list-proposals.query.ts'
import { proposalHistory } from '#server/proposals/proposal-history.query.ts'
import { getZoneProposal, listZoneProposals } from '#server/proposals/zone-proposals.query.ts'
import { requireFullAccess, requireZoneScope } from '#server/zones/zone-scope.ts'
import { guarded, router } from '../trpc.ts'

const decide = () => guarded('proposal.decide')
const simple = (name: 'undo' | 'discard' | 'archive' | 'unarchive') =>
  decide()
    .input(proposalIdInput)
    .output(commandAnswer)
    .mutation(async ({ ctx, input }) => unwrap(await proposalCommands[name](ctx.services, input, ctx.caller)))
const successor = (name: 'resubmit' | 'revert') =>
  decide()
    .input(proposalIdInput)
    .output(successorAnswer)
    .mutation(async ({ ctx, input }) => unwrap(await proposalCommands[name](ctx.services, input, ctx.caller)))

export const proposalsRouter = router({
  list: guarded('proposal.read')
    .input(proposalFilter)
    .output(proposalPage)
    .query(({ ctx, input }) => listProposals(ctx.services, input, requireFullAccess(ctx.caller).role)),
  get: guarded('proposal.read')
    .input(proposalIdInput)
    .output(proposalView)
    .query(async ({ ctx, input }) =>
      unwrap(await getProposal(ctx.services, input.proposal_id, requireFullAccess(ctx.caller).role)),
    ),
  history: guarded('proposal.read')
    .input(proposalIdInput)
    .output(z.array(historyEntry))
    .query(async ({ ctx, input }) => {
      requireFullAccess(ctx.caller)
      return unwrap(await proposalHistory(ctx.services, input.proposal_id))
    }),
  counts: guarded('proposal.read')
    .output(proposalCounts)
    .query(({ ctx }) => {
      requireFullAccess(ctx.caller)
      return countProposals(ctx.services)
    }),
  zoneList: guarded('proposal.read')
    .input(proposalFilter.pick({ cursor: true, limit: true }))
    .output(z.object({ items: z.array(guestProposalView), next_cursor: z.string().nullable() }))
    .query(async ({ ctx, input }) =>
      listZoneProposals(ctx.services, await requireZoneScope(ctx.services, ctx.caller), input),
    ),
  zoneGet: guarded('proposal.read')
    .input(proposalIdInput)
    .output(guestProposalView)
    .query(async ({ ctx, input }) =>
      unwrap(
        await getZoneProposal(
          ctx.services,
          await requireZoneScope(ctx.services, ctx.caller),
          input.proposal_id,
        ),
      ),
    ),
  markSeen: decide()
    .input(proposalIdInput)
    .output(z.object({ news: z.boolean() }))
    .mutation(async ({ ctx, input }) => ({ news: await markSeen(ctx.services, input) })),
  approve: decide()
    .input(approveInput)
    .output(commandAnswer)
    .mutation(async ({ ctx, input }) =>
      unwrap(await proposalCommands.approve(ctx.services, input, ctx.caller)),
    ),
  reject: decide()
    .input(rejectInput)
    .output(commandAnswer)
    .mutation(async ({ ctx, input }) =>
      unwrap(await proposalCommands.reject(ctx.services, input, ctx.caller)),
    ),
  retry: guarded('proposal.retry')
    .input(proposalIdInput)
    .output(commandAnswer)
    .mutation(async ({ ctx, input }) =>
      unwrap(await proposalCommands.retry(ctx.services, input, ctx.caller)),
    ),
  force: guarded('proposal.decide', { stepUp: true })
    .input(forceInput)
    .output(commandAnswer)
    .mutation(async ({ ctx, input }) =>
      unwrap(await proposalCommands.force(ctx.services, input, ctx.caller, ctx.steppedUp)),
    ),
  extend: decide()
    .input(extendInput)
    .output(commandAnswer)
    .mutation(async ({ ctx, input }) =>
      unwrap(await proposalCommands.extend(ctx.services, input, ctx.caller)),
    ),
  undo: simple('undo'),
  discard: simple('discard'),
  archive: simple('archive'),
  unarchive: simple('unarchive'),
  resubmit: successor('resubmit'),
  revert: successor('revert'),
})
