'use client'
import { useQuery } from '@tanstack/react-query'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'

/** The groups of alike proposals, kept up to date. */
export function useAlike() {
  const trpc = useTRPC()
  useLiveQueries(
    ['proposal.created', 'proposal.status.changed'],
    trpc.proposals.alike.pathFilter(),
    POLL_MS.slow,
  )
  return useQuery(trpc.proposals.alike.queryOptions())
}
