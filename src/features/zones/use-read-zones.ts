'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '#lib/trpc.tsx'

/** Reads the zones again after one of them was changed. A command waits for it, so that the next one starts from what is shown. */
export function useReadZones(): () => Promise<void> {
  const trpc = useTRPC()
  const queries = useQueryClient()
  return () => queries.invalidateQueries(trpc.zones.pathFilter())
}
