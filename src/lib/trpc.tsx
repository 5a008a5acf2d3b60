'use client'
import { QueryClientProvider } from '@tanstack/react-query'
import { createTRPCClient, httpBatchLink } from '@trpc/client'
import { createTRPCContext } from '@trpc/tanstack-react-query'
import { type ReactNode, useState } from 'react'
import superjson from 'superjson'
import type { AppRouter } from '#server/trpc/router.ts'
import { makeQueryClient } from './query-client.ts'

/**
 * The typed way to the server: `const trpc = useTRPC()`, then `useQuery(trpc.jobs.list.queryOptions(input))` and
 * `useMutation(trpc.jobs.requeue.mutationOptions())`. The header tells a page of ours from a foreign form (CSRF).
 */
const { TRPCProvider, useTRPC, useTRPCClient } = createTRPCContext<AppRouter>()

export { useTRPC, useTRPCClient }

/** A server that answers nothing in this time is taken for one that cannot be reached. */
const PATIENCE_MS = 60_000

const withPatience = (signal: AbortSignal | null | undefined): AbortSignal =>
  AbortSignal.any([...(signal ? [signal] : []), AbortSignal.timeout(PATIENCE_MS)])

/** Query cache and tRPC client of this browser; on the server one of each per request. */
export function ServerProvider({ children }: { children: ReactNode }) {
  const [queryClient] = useState(makeQueryClient)
  const [client] = useState(() =>
    createTRPCClient<AppRouter>({
      links: [
        httpBatchLink({
          url: '/api/trpc',
          transformer: superjson,
          maxItems: 10,
          headers: { 'x-garden': '1' },
          fetch: (url, options) =>
            fetch(url, {
              ...options,
              credentials: 'same-origin',
              cache: 'no-store',
              signal: withPatience(options?.signal),
            } as RequestInit),
        }),
      ],
    }),
  )
  return (
    <QueryClientProvider client={queryClient}>
      <TRPCProvider trpcClient={client} queryClient={queryClient}>
        {children}
      </TRPCProvider>
    </QueryClientProvider>
  )
}
