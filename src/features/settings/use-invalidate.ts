'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '#lib/trpc.tsx'

/** Reads the accounts, one's own sessions, or the control plane again after one of them was changed. */
export function useInvalidate(what: 'accounts' | 'sessions' | 'runtime'): () => Promise<void> {
  const trpc = useTRPC()
  const queries = useQueryClient()
  return () => queries.invalidateQueries(trpc[what].pathFilter())
}
