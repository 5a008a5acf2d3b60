'use client'
import { QueryClientProvider } from '@tanstack/react-query'
import { createTRPCClient, httpBatchLink, httpLink, splitLink } from '@trpc/client'
import { createTRPCContext } from '@trpc/tanstack-react-query'
import { type ReactNode, useState } from 'react'
import type { AppRouter } from '#server/trpc/router.ts'
import { whenAwake } from './awake.ts'
import { makeQueryClient } from './query-client.ts'
import { JSON_WIRE } from './wire.ts'

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

type Options = { method?: string; signal?: AbortSignal | null | undefined }

const SERVER = {
  url: '/api/trpc',
  transformer: JSON_WIRE,
  headers: { 'x-garden': '1' },
  fetch: async (url: URL | RequestInfo | string, options?: Options) => {
    if (options?.method === 'GET') await whenAwake()
    return fetch(
      url as URL,
      {
        ...options,
        credentials: 'same-origin',
        cache: 'no-store',
        signal: withPatience(options?.signal),
      } as RequestInit,
    )
  },
}

/** Query cache and tRPC client of this browser; on the server one of each per request. */
export function ServerProvider({ children }: { children: ReactNode }) {
  const [queryClient] = useState(makeQueryClient)
  const [client] = useState(() =>
    createTRPCClient<AppRouter>({
      links: [
        splitLink({
          // A query whose input is too long for an address goes alone, in a body.
          condition: (op) => op.context.longInput === true,
          true: httpLink({ ...SERVER, methodOverride: 'POST' }),
          false: httpBatchLink({ ...SERVER, maxItems: 10 }),
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
