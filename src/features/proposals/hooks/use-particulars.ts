'use client'
import { useQueryClient } from '@tanstack/react-query'
import type { ProposalItem } from '#contracts/proposal.contract.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { useTRPC } from '#lib/trpc.tsx'

const APPLIED = proposalMachine.events.applied.to

/** Reads what belongs to a state that an event told of: of an applied proposal its commit. */
export function useParticulars() {
  const queries = useQueryClient()
  const trpc = useTRPC()
  return (proposal_id: string, status: ProposalItem['status']): Promise<Partial<ProposalItem>> | null => {
    if (status !== APPLIED) return null
    const options = trpc.proposals.get.queryOptions({ proposal_id })
    return queries.fetchQuery({ ...options, staleTime: 0 }).then(({ git_commit }) => ({ git_commit }))
  }
}
