'use client'
import { useQuery } from '@tanstack/react-query'
import { may } from '#domain/authority/matrix.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useSession } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'

const COUNTED = [
  'inbox.new',
  'inbox.status.changed',
  'proposal.created',
  'proposal.status.changed',
  'run.status.changed',
  'job.status.changed',
  'question.status.changed',
  'incident.changed',
]

/** The counts of the navigation, live; undefined until known, and for readers without the right. */
export function useCounts() {
  const trpc = useTRPC()
  const { role } = useSession()
  const options = trpc.system.counts.queryOptions()
  useLiveQueries(COUNTED, { queryKey: options.queryKey }, POLL_MS.slow)
  return useQuery({ ...options, enabled: may(role, 'health.read') }).data
}

/** The health of the system as the header shows it. */
export function useHealth() {
  const trpc = useTRPC()
  const { role } = useSession()
  const options = trpc.system.health.queryOptions()
  useLiveQueries(['health.changed'], { queryKey: options.queryKey }, POLL_MS.slow)
  return useQuery({ ...options, enabled: may(role, 'health.read'), refetchInterval: POLL_MS.idle }).data
}
