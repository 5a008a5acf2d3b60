'use client'
import { useLinkStatus } from 'next/link'

/** A line at the top of the page while the next one is on its way, after a moment. */
export function NavigationLine() {
  return (
    <span
      data-navigating
      aria-hidden
      className="after-a-moment pointer-events-none fixed inset-x-0 top-0 z-50 h-0.5"
    >
      <span className="pulse block h-full bg-accent" />
    </span>
  )
}

/** The same for a click on the link that it is in. */
export function LinkProgress() {
  const { pending } = useLinkStatus()
  return pending ? <NavigationLine /> : null
}
