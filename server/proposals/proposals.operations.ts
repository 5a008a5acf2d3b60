import { z } from 'zod'
import * as proposal from '#contracts/proposal.contract.ts'
import * as commandWire from '#contracts/proposal-commands.contract.ts'
import { conflictView } from '#contracts/proposal-conflict.contract.ts'
import { trackRecordInput, trackRecord as trackRecordView } from '#contracts/track-record.contract.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { operations, read } from '#server/operations/operation.ts'
import { requireFullAccess, requireZoneScope } from '#server/zones/zone-scope.ts'
import { countProposals } from './count-proposals.query.ts'
import { getConflict } from './get-conflict.query.ts'
import { getProposal } from './get-proposal.query.ts'
import { listProposals } from './list-proposals.query.ts'
import { proposalHistory } from './proposal-history.query.ts'
import { trackRecord } from './track-record.query.ts'
import { getZoneProposal, listZoneProposals } from './zone-proposals.query.ts'

const { create } = proposalMachine.events
const DECIDED = proposalMachine.states.filter((state) => state !== create.to)
const byId = commandWire.proposalIdInput
const narrowed = proposal.proposalFilter.omit({ status: true, sort: true })
const zonePage = z.object({ items: z.array(proposal.guestProposalView), next_cursor: z.string().nullable() })

/** Reads. The console asks by role (`list`, `zoneList`); programs have one address that answers by role (`browse`, `view`). */
export const proposalOperations = operations('proposals', {
  list: read('proposal.read', {
    summary: 'List proposals',
    rest: null,
    input: proposal.proposalFilter,
    output: proposal.proposalPage,
    run: async ({ services, caller }, input) =>
      listProposals(services, input, requireFullAccess(caller).role),
  }),
  zoneList: read('proposal.read', {
    summary: 'List the proposals of your zone',
    rest: null,
    input: proposal.proposalFilter.pick({ cursor: true, limit: true }),
    output: zonePage,
    run: async ({ services, caller }, input) =>
      listZoneProposals(services, await requireZoneScope(services, caller), input),
  }),
  browse: read('proposal.read', {
    summary: 'List proposals; guests see those of their zone',
    rest: 'GET /api/v1/proposals',
    trpc: false,
    input: proposal.proposalFilter,
    output: z.union([proposal.proposalPage, zonePage]),
    run: async ({ services, caller }, input) =>
      caller.role === 'guest'
        ? listZoneProposals(services, await requireZoneScope(services, caller), input)
        : listProposals(services, input, requireFullAccess(caller).role),
  }),
  pending: read('proposal.read', {
    summary: 'List pending proposals in review order, without the snoozed ones',
    rest: 'GET /api/v1/proposals/pending',
    trpc: false,
    input: narrowed,
    output: proposal.proposalPage,
    run: async ({ services, caller }, input) =>
      listProposals(
        services,
        { ...input, status: [create.to], sort: 'to_decide' },
        requireFullAccess(caller).role,
      ),
  }),
  decided: read('proposal.read', {
    summary: 'List decided proposals, newest first',
    rest: 'GET /api/v1/proposals/history',
    trpc: false,
    input: narrowed,
    output: proposal.proposalPage,
    run: async ({ services, caller }, input) =>
      listProposals(services, { ...input, status: DECIDED, sort: 'newest' }, requireFullAccess(caller).role),
  }),
  counts: read('proposal.read', {
    summary: 'Count pending, expiring and conflicting proposals',
    rest: 'GET /api/v1/proposals/counts',
    output: proposal.proposalCounts,
    run: async ({ services, caller }) => countProposals(requireFullAccess(caller) && services),
  }),
  trackRecord: read('proposal.read', {
    summary: 'Count how an agent’s proposals were decided',
    rest: 'GET /api/v1/proposals/track-record',
    input: trackRecordInput,
    output: trackRecordView,
    run: async ({ services, caller }, input) => trackRecord(requireFullAccess(caller) && services, input),
  }),
  get: read('proposal.read', {
    summary: 'Get a proposal with its diff and review digest',
    rest: null,
    input: byId,
    output: proposal.proposalView,
    run: async ({ services, caller }, { proposal_id }) =>
      getProposal(services, proposal_id, requireFullAccess(caller).role),
  }),
  conflict: read('proposal.read', {
    summary: 'Get the conflict of a proposal with its three-way merge',
    rest: 'GET /api/v1/proposals/{proposal_id}/conflict',
    input: byId,
    output: conflictView,
    run: async ({ services, caller }, { proposal_id }) =>
      getConflict(requireFullAccess(caller) && services, proposal_id),
  }),
  zoneGet: read('proposal.read', {
    summary: 'Get a proposal of your zone',
    rest: null,
    input: byId,
    output: proposal.guestProposalView,
    run: async ({ services, caller }, { proposal_id }) =>
      getZoneProposal(services, await requireZoneScope(services, caller), proposal_id),
  }),
  view: read('proposal.read', {
    summary: 'Get a proposal with its diff and review digest',
    rest: 'GET /api/v1/proposals/{proposal_id}',
    trpc: false,
    input: byId,
    output: z.union([proposal.proposalView, proposal.guestProposalView]),
    run: async ({ services, caller }, { proposal_id }) =>
      caller.role === 'guest'
        ? getZoneProposal(services, await requireZoneScope(services, caller), proposal_id)
        : getProposal(services, proposal_id, requireFullAccess(caller).role),
  }),
  history: read('proposal.read', {
    summary: 'List the events of a proposal',
    rest: 'GET /api/v1/proposals/{proposal_id}/history',
    input: byId,
    output: z.array(proposal.historyEntry),
    run: async ({ services, caller }, { proposal_id }) =>
      proposalHistory(requireFullAccess(caller) && services, proposal_id),
  }),
})
