import { z } from 'zod'
import {
  guestProposalView,
  historyEntry,
  proposalCounts,
  proposalFilter,
  proposalIdInput,
  proposalPage,
  proposalView,
} from '#contracts/proposal.contract.ts'
import { ok } from '#domain/kernel/result.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { getProposal } from '#server/proposals/get-proposal.query.ts'
import { countProposals, listProposals } from '#server/proposals/list-proposals.query.ts'
import { proposalHistory } from '#server/proposals/proposal-history.query.ts'
import { getZoneProposal, listZoneProposals } from '#server/proposals/zone-proposals.query.ts'
import { requireFullAccess, requireZoneScope } from '#server/zones/zone-scope.ts'
import { proposalCommandRoutes } from './proposal-commands.routes.ts'
import { type AnyRoute, route } from './route.ts'

const tag = 'Proposals'
const params = proposalIdInput
const at = (rest = '') => `/api/v1/proposals/{proposal_id}${rest}`
const zonePage = z.object({ items: z.array(guestProposalView), next_cursor: z.string().nullable() })
const READ = { action: 'proposal.read' } as const
const { create } = proposalMachine.events

const reads: AnyRoute[] = [
  route({
    method: 'get',
    path: '/api/v1/proposals',
    policy: READ,
    summary: 'Proposals by keyset; a guest sees those of the zone',
    tag,
    query: proposalFilter,
    response: z.union([proposalPage, zonePage]),
    handle: async ({ services, query, caller }) =>
      caller.role === 'guest'
        ? ok(await listZoneProposals(services, await requireZoneScope(services, caller), query))
        : ok(await listProposals(services, query, requireFullAccess(caller).role)),
  }),
  route({
    method: 'get',
    path: '/api/v1/proposals/pending',
    policy: READ,
    summary: 'What waits for a decision: high priority and what expires first',
    tag,
    query: proposalFilter.omit({ status: true, sort: true }),
    response: proposalPage,
    handle: async ({ services, query, caller }) =>
      ok(
        await listProposals(
          services,
          { ...query, status: [create.to], sort: 'to_decide' },
          requireFullAccess(caller).role,
        ),
      ),
  }),
  route({
    method: 'get',
    path: '/api/v1/proposals/history',
    policy: READ,
    summary: 'What was decided, newest first',
    tag,
    query: proposalFilter.omit({ status: true, sort: true }),
    response: proposalPage,
    handle: async ({ services, query, caller }) => {
      const status = proposalMachine.states.filter((state) => state !== create.to)
      return ok(
        await listProposals(services, { ...query, status, sort: 'newest' }, requireFullAccess(caller).role),
      )
    },
  }),
  route({
    method: 'get',
    path: '/api/v1/proposals/counts',
    policy: READ,
    summary: 'How many wait, expire today, or are in conflict',
    tag,
    response: proposalCounts,
    handle: async ({ services, caller }) => ok(await countProposals(requireFullAccess(caller) && services)),
  }),
  route({
    method: 'get',
    path: at(),
    policy: READ,
    summary: 'One proposal with its real diff and the digest that approving pins',
    tag,
    params,
    response: z.union([proposalView, guestProposalView]),
    handle: async ({ services, params: { proposal_id }, caller }) =>
      caller.role === 'guest'
        ? getZoneProposal(services, await requireZoneScope(services, caller), proposal_id)
        : getProposal(services, proposal_id, requireFullAccess(caller).role),
  }),
  route({
    method: 'get',
    path: at('/history'),
    policy: READ,
    summary: 'Everything that happened to a proposal',
    tag,
    params,
    response: z.array(historyEntry),
    handle: ({ services, params: { proposal_id }, caller }) =>
      proposalHistory(requireFullAccess(caller) && services, proposal_id),
  }),
]

export const proposalsRoutes: AnyRoute[] = [...reads, ...proposalCommandRoutes]
