'use client'
import { useQuery } from '@tanstack/react-query'
import type { ProposalView } from '#contracts/proposal.contract.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'

const MOVES = ['proposal.status.changed', 'run.status.changed']
const isAsked = ({ change_request, lineage }: ProposalView) =>
  change_request !== null || lineage.supersedes !== null

/** The request for changes that a proposal waits for, has come back from, or answers. */
export function useChangeRequest(p: ProposalView) {
  const { changeRequest } = useTRPC().proposals
  useLiveQueries(MOVES, changeRequest.pathFilter(), POLL_MS.moving)
  return useQuery({
    ...changeRequest.queryOptions({ proposal_id: p.proposal_id }),
    enabled: isAsked(p),
  })
}
