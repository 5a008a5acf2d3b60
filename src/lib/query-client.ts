import { defaultShouldDehydrateQuery, QueryCache, QueryClient } from '@tanstack/react-query'
import { isOffline, isSignedOut, toFault } from './fault.ts'
import { noteSignedOut } from './sign-in-again.ts'

/**
 * The cache of what the server said. Pages are live by the stream, so nothing is read again merely because a window was
 * focused; reads are repeated at most three times and only where a repeat may help. Without a network a read fails at once and
 * is made again by itself when there is one; an action fails at once and is never made later.
 */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => {
        if (isSignedOut(toFault(error))) noteSignedOut()
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        refetchOnWindowFocus: false,
        refetchOnReconnect: true,
        networkMode: 'always',
        retry: (failures, error) => failures < 3 && !isOffline() && toFault(error).retryable,
        retryDelay: (failure) => Math.min(1_000 * 2 ** failure, 8_000),
      },
      mutations: { retry: false, networkMode: 'always' },
      dehydrate: {
        shouldDehydrateQuery: (query) =>
          defaultShouldDehydrateQuery(query) || query.state.status === 'pending',
      },
    },
  })
}
