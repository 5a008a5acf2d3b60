/** The framework's address and router for component tests: `pushState` moves the page as it does in the product. */
import { AppRouterContext } from 'next/dist/shared/lib/app-router-context.shared-runtime'
import {
  PathnameContext,
  SearchParamsContext,
} from 'next/dist/shared/lib/hooks-client-context.shared-runtime'
import { RouterContext } from 'next/dist/shared/lib/router-context.shared-runtime'
import { type ReactNode, startTransition, useEffect, useMemo, useState } from 'react'

const here = () => `${window.location.pathname}${window.location.search}`

/** Shows `start` and follows what the components below push, and Back. */
export function Address({ start, children }: { start: string; children: ReactNode }) {
  const [address, setAddress] = useState(start)
  useEffect(() => {
    const before = here()
    const { pushState, replaceState } = window.history
    const follow = (way: typeof pushState) =>
      function (this: History, ...args: Parameters<typeof pushState>) {
        way.apply(window.history, args)
        startTransition(() => setAddress(here()))
      }
    window.history.pushState = follow(pushState)
    window.history.replaceState = follow(replaceState)
    const onBack = () => startTransition(() => setAddress(here()))
    window.addEventListener('popstate', onBack)
    window.history.replaceState(null, '', start)
    return () => {
      window.removeEventListener('popstate', onBack)
      Object.assign(window.history, { pushState, replaceState })
      window.history.replaceState(null, '', before)
    }
  }, [start])
  const router = useMemo(() => {
    const go = (href: string) => window.history.pushState(null, '', href)
    const nothing = async () => undefined
    return { push: go, replace: go, prefetch: nothing, refresh: nothing, back: nothing, forward: nothing }
  }, [])
  const url = new URL(address, window.location.origin)
  return (
    <AppRouterContext value={router as never}>
      {/* Outside of the framework's build a link asks the older of its two routers. */}
      <RouterContext value={router as never}>
        <PathnameContext value={url.pathname}>
          <SearchParamsContext value={url.searchParams}>{children}</SearchParamsContext>
        </PathnameContext>
      </RouterContext>
    </AppRouterContext>
  )
}
