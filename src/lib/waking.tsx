'use client'
import { useHydrated } from './use-hydrated.ts'

/**
 * Marks what it stands in as drawn by the server and not yet alive: until React has taken that over, its controls look as they are, without an
 * answer (`base.css`), and a line runs at the top of the page. Never there for what the browser itself drew.
 */
export function Waking() {
  return useHydrated() ? null : (
    <span
      data-waking
      aria-hidden
      className="after-a-moment pointer-events-none fixed inset-x-0 top-0 z-50 h-0.5"
    >
      <span className="pulse block h-full bg-accent" />
    </span>
  )
}
