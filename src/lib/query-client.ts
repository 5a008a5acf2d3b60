import { defaultShouldDehydrateQuery, QueryClient } from '@tanstack/react-query'
import superjson from 'superjson'
import { toFault } from './fault.ts'

/**
 * The cache of what the server said. Pages are live by the stream, so nothing is read again merely because a window was
 * focused; reads are repeated at most three times and only where a repeat may help.
 */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        refetchOnWindowFocus: false,
        retry: (failures, error) => failures < 3 && toFault(error).retryable,
        retryDelay: (failure) => Math.min(1_000 * 2 ** failure, 8_000),
      },
      mutations: { retry: false },
      dehydrate: {
        serializeData: superjson.serialize,
        shouldDehydrateQuery: (query) =>
          defaultShouldDehydrateQuery(query) || query.state.status === 'pending',
      },
      hydrate: { deserializeData: superjson.deserialize },
    },
  })
}
