'use client'
import { createContext, type ReactNode, useCallback, useContext, useState, useSyncExternalStore } from 'react'
import { useHydrated } from './use-hydrated.ts'

/**
 * One clock for the whole page. It counts in the server's time: leases, holds and countdowns are dated by the database, and a
 * reader's clock that is minutes off must not show a wrong countdown. One interval serves every ticking component of a period.
 */
type Clock = { offset: number; first: number }
const ClockContext = createContext<Clock>({ offset: 0, first: 0 })

/** Below this the difference is the way from the server to here, not a wrong clock. */
const TOLERATED_MS = 5_000

export function ClockProvider({ now, children }: { now: number; children: ReactNode }) {
  const hydrated = useHydrated()
  const [clock] = useState<Clock>(() => {
    const off = typeof window === 'undefined' ? 0 : now - (hydrated ? Date.now() : arrivedAt())
    return { offset: Math.abs(off) > TOLERATED_MS ? off : 0, first: now }
  })
  return <ClockContext value={clock}>{children}</ClockContext>
}

/**
 * When the page came from the server, by this machine's clock: its scripts may take long to come after it. Reckoned back from now, since
 * `timeOrigin` knows nothing of a clock that was set since. Where the browser does not say, now. A page that Back brings to life again keeps its
 * clock, which no wait has changed.
 */
function arrivedAt(): number {
  const [page] = performance.getEntriesByType('navigation')
  const since = page instanceof PerformanceNavigationTiming ? page.responseStart : 0
  return Date.now() - (since > 0 ? performance.now() - since : 0)
}

type Ticker = { listeners: Set<() => void>; timer?: ReturnType<typeof setInterval>; at: number }
const tickers = new Map<number, Ticker>()

function tickerOf(period: number): Ticker {
  let ticker = tickers.get(period)
  if (!ticker) {
    ticker = { listeners: new Set(), at: 0 }
    tickers.set(period, ticker)
  }
  return ticker
}

function subscribe(period: number, listener: () => void): () => void {
  const ticker = tickerOf(period)
  if (ticker.listeners.size === 0) {
    ticker.timer = setInterval(() => {
      ticker.at = Date.now()
      for (const l of ticker.listeners) l()
    }, period)
  }
  ticker.at = Date.now()
  ticker.listeners.add(listener)
  return () => {
    ticker.listeners.delete(listener)
    if (ticker.listeners.size === 0) clearInterval(ticker.timer)
  }
}

/** The server's now in milliseconds, renewed every `period` ms; the first paint uses the instant the server rendered at. */
export function useNow(period = 1_000): number {
  const { offset, first } = useContext(ClockContext)
  // Subscribing renews the instant: a subscription made anew by every render would never come to rest on a slow machine.
  const ticks = useCallback((listener: () => void) => subscribe(period, listener), [period])
  const at = useSyncExternalStore(
    ticks,
    () => tickerOf(period).at || first - offset,
    () => first,
  )
  return at === first ? first : at + offset
}
