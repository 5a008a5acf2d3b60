import { dehydrate, HydrationBoundary } from '@tanstack/react-query'
import { getTRPCErrorFromUnknown } from '@trpc/server'
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query'
import { cookies, headers } from 'next/headers'
import { notFound, redirect } from 'next/navigation'
import { cache, type ReactNode } from 'react'
import type { Caller } from '#domain/authority/caller.ts'
import { type Action, may } from '#domain/authority/matrix.ts'
import { messages } from '#features/shell/messages.ts'
import { isMissing } from '#lib/fault.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { makeQueryClient } from '#lib/query-client.ts'
import { Waking } from '#lib/waking.tsx'
import { PATH_HEADER } from '#server/http/headers.ts'
import { pageContext } from '#server/trpc/page-context.ts'
import { appRouter } from '#server/trpc/router.ts'
import { trpcRefusal } from '#server/trpc/trpc-error.ts'
import { buttonClass } from '#ui/button-class.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { Link } from '#ui/link.tsx'

/**
 * What every page of the console does first: find out who asks, by the same rule as the API, and read what the first paint
 * shows through the same procedures, so that no page can show what the API would refuse.
 */
// The request first: while the framework builds there is none, and nothing is composed then.
const thisVisit = cache(async () => pageContext(new Headers(await headers())))

/** Who asks for this page; anonymous when nobody is signed in. */
export async function pageCaller(): Promise<{ caller: Caller; code: string | null }> {
  const { caller, refusal } = await thisVisit()
  return { caller, code: refusal?.code ?? null }
}

/** The page that is asked for, with its query, as the proxy wrote it down. */
const thisPath = async (): Promise<string> => (await headers()).get(PATH_HEADER) ?? '/'

/** Sends whoever may not see the console at all to the right auth page. */
export async function signedIn(): Promise<Caller> {
  const { caller, code } = await pageCaller()
  if (code === 'CONSENT_REQUIRED') redirect('/zone')
  if (code === 'ZONE_REVOKED' || code === 'ZONE_EXPIRED') redirect(`/signed-out?why=${code}`)
  if (caller.role === 'anonymous') redirect(`/sign-in?to=${encodeURIComponent(await thisPath())}`)
  return caller
}

type Prefetchable = { queryKey: readonly unknown[] }

/** Opens a page that needs `action`. A failed prefetch is no failure: the browser asks and shows the error in place. */
export async function openPage(action: Action) {
  const caller = await signedIn()
  await cookies()
  const ctx = await thisVisit()
  const queryClient = makeQueryClient()
  const allowed = may(caller.role, action)
  const settle = async (work: () => Promise<unknown>) => {
    if (allowed) await work().catch(() => undefined)
  }
  const fetch = (options: Prefetchable) =>
    queryClient.fetchQuery({ ...(options as object), retry: false } as never)
  return {
    caller,
    /** What was read so far, for a HydrationBoundary of one's own. */
    state: () => dehydrate(queryClient),
    trpc: createTRPCOptionsProxy({ router: appRouter, ctx, queryClient }),
    prefetch: (options: Prefetchable) => settle(() => fetch(options)),
    /** Prefetches the object that the address names. One that is not there, or not for this reader, ends the page with 404. */
    find: async (options: Prefetchable) => {
      if (allowed) await fetch(options).catch(endMissing)
    },
    prefetchInfinite: (options: Prefetchable) =>
      settle(() => queryClient.fetchInfiniteQuery({ ...(options as object), retry: false } as never)),
    Hydrated: ({ children }: { children: ReactNode }) =>
      allowed ? (
        <HydrationBoundary state={dehydrate(queryClient)}>
          <Waking />
          {children}
        </HydrationBoundary>
      ) : (
        <NoRight action={action} role={caller.role} />
      ),
  }
}

/** Ends the page when there is no such object; any other failure is shown in its place. */
function endMissing(error: unknown): void {
  if (isMissing(trpcRefusal(getTRPCErrorFromUnknown(error)).refusal)) notFound()
}

async function NoRight({ action, role }: { action: Action; role: Caller['role'] }) {
  const t = await serverTranslations(messages)
  const who = may('operator', action) ? t('whoBoth') : t('whoOwner')
  return (
    <EmptyState
      as="h1"
      title={t('noAccess')}
      action={
        <Link href="/" className={buttonClass('secondary')}>
          {t('goHome')}
        </Link>
      }
    >
      {t('noAccessText', { who, role: t(role) })}
    </EmptyState>
  )
}
