import {
  changeRequestView,
  requestChangesAnswer,
  requestChangesInput,
} from '#contracts/change-request.contract.ts'
import { proposalIdInput } from '#contracts/proposal-commands.contract.ts'
import { ok } from '#domain/kernel/result.ts'
import { operations, read, write } from '#server/operations/operation.ts'
import { itemsOf } from '#server/proposals/proposal-view.ts'
import { requireFullAccess } from '#server/zones/zone-scope.ts'
import { getChangeRequest } from './change-request.query.ts'
import { requestChanges } from './request-changes.ts'

/** Changes that the owner asks an agent for. */
export const changeRequests = operations('proposals', {
  changeRequest: read('proposal.read', {
    summary: 'Get what was asked of a proposal’s agent, and what it changed since',
    rest: 'GET /api/v1/proposals/{proposal_id}/change-request',
    input: proposalIdInput,
    output: changeRequestView,
    run: ({ services, caller }, { proposal_id }) =>
      getChangeRequest(requireFullAccess(caller) && services, proposal_id),
  }),
  requestChanges: write('proposal.decide', {
    summary: 'Request changes of a proposal from its agent',
    rest: 'POST /api/v1/proposals/{proposal_id}/request-changes',
    // What refuses the run rolls back the request.
    transaction: 'own',
    input: requestChangesInput,
    output: requestChangesAnswer,
    run: async ({ services, caller }, input) => {
      const made = await requestChanges(services, input, caller)
      if (!made.ok) return made
      const { row, unchanged, runId, inboxId } = made.value
      const [item] = await itemsOf(services.garden, [row], caller.role)
      if (!item) throw new Error('a row gives an item')
      return ok({ unchanged, proposal: item, run_id: runId, inbox_id: inboxId })
    },
  }),
})
