'use client'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { useMemo } from 'react'

type Pages<Row> = { pages: readonly { items: readonly Row[] }[] }
type List<Row> = UseInfiniteQueryResult<Pages<Row> | undefined, unknown>

/** What a DataTable takes of an infinite query: its rows so far, its error and the way on. */
export function usePages<Row>(list: List<Row>) {
  const rows = useMemo(() => list.data?.pages.flatMap((page) => page.items), [list.data])
  return {
    rows,
    error: list.error,
    onRetry: () => void list.refetch(),
    more: { has: list.hasNextPage, loading: list.isFetchingNextPage, load: () => void list.fetchNextPage() },
  }
}
