'use client'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'

type Pages<Row> = { pages: readonly { items: readonly Row[] }[] }
type List<Row> = UseInfiniteQueryResult<Pages<Row> | undefined, unknown>

/** What a DataTable takes from an infinite query: the rows so far, the error, and how to load more. */
export function useInfiniteRows<Row>(list: List<Row>) {
  const rows = useMemo(() => list.data?.pages.flatMap((page) => page.items), [list.data])
  const { fetchNextPage } = list
  const load = useCallback(() => void fetchNextPage(), [fetchNextPage])
  return {
    rows,
    error: list.error,
    onRetry: () => void list.refetch(),
    more: {
      has: list.hasNextPage,
      loading: list.isFetchingNextPage,
      /** The next page could not be read; whoever loads it unasked waits for the reader then. */
      failed: list.isFetchNextPageError,
      load,
    },
  }
}
