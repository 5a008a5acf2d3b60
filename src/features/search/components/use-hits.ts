'use client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { usePathname } from 'next/navigation'
import { useState } from 'react'
import type { SearchHit } from '#contracts/search.contract.ts'
import { objectAt, recentObjects } from '#lib/recent-objects.ts'
import { useSession } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useDebounced } from '#lib/use-debounced.ts'
import { containsWords } from '../contains-words.ts'
import { statesLike } from './use-hit-state.tsx'

const PAUSE_MS = 150
const MOST_TYPED = 200

type Hits = { hits: readonly SearchHit[]; busy: boolean; failed: boolean }

/**
 * What the server finds for what is typed, asked once typing pauses. Until the answer is there, those of the last hits stay that hold what is
 * typed by now, so that Enter never opens what was meant before.
 */
export function useHits(typed: string, labels: readonly (readonly [string, string])[]): Hits {
  const trpc = useTRPC()
  const text = typed.trim().slice(0, MOST_TYPED)
  const asked = useDebounced(text, PAUSE_MS)
  const states = statesLike(labels, asked)
  const found = useQuery(
    trpc.search.everywhere.queryOptions(
      { q: asked, ...(states.length > 0 ? { states } : {}) },
      { enabled: asked !== '', placeholderData: keepPreviousData },
    ),
  )
  const items = text === '' ? [] : (found.data?.items ?? [])
  const stale = asked !== text || found.isPlaceholderData
  const hits = stale
    ? items.filter((hit) => containsWords(`${hit.title} ${hit.detail ?? ''} ${hit.id}`, text))
    : items
  return { hits, busy: text !== '' && (asked !== text || found.isFetching), failed: found.isError }
}

/** What this tab opened last, as it is now, but for the page one is on. */
export function useRecent(): readonly SearchHit[] {
  const trpc = useTRPC()
  const { identity } = useSession()
  const here = usePathname()
  const [objects] = useState(() => {
    const open = objectAt(here)
    return recentObjects(identity).filter(({ kind, id }) => kind !== open?.kind || id !== open.id)
  })
  const found = useQuery(trpc.search.objects.queryOptions({ objects }, { enabled: objects.length > 0 }))
  return found.data?.items ?? []
}
