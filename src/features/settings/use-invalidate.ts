'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '#lib/trpc.tsx'

/** Reads the accounts, or one's own sessions, again after one of them was changed. */
export function useInvalidate(what: 'accounts' | 'sessions'): () => Promise<void> {
  const trpc = useTRPC()
  const queries = useQueryClient()
  return () => queries.invalidateQueries(trpc[what].pathFilter())
}
