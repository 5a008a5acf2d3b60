'use client'
import { useQuery } from '@tanstack/react-query'
import type { SavedView } from '#contracts/saved-view.contract.ts'
import { may } from '#domain/authority/matrix.ts'
import { useSession } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'

const NONE: readonly SavedView[] = []

/** The views of the reader's account, of every list; none for a guest. */
export function useSavedViews(): readonly SavedView[] {
  const trpc = useTRPC()
  const { role } = useSession()
  return useQuery({ ...trpc.views.list.queryOptions(), enabled: may(role, 'view.own') }).data?.items ?? NONE
}
