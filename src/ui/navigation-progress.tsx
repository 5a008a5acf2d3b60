'use client'
import { useLinkStatus } from 'next/link'
import { useTranslations } from 'use-intl/react'
import { useIsLate, useOnItsWay } from '#lib/navigation-progress.tsx'

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

/** The line of a navigation that has begun; `NavigationStatus` says so as well. */
export function Navigating() {
  useOnItsWay()
  return <NavigationLine />
}

/** What the line shows, for those who do not see it. Once per page, always there: readers do not announce a status that has just appeared. */
export function NavigationStatus() {
  const t = useTranslations('ui')
  return (
    <p role="status" className="sr-only">
      {useIsLate() ? t('loadingMore') : null}
    </p>
  )
}

/** The navigation of a click on the link that it is in. */
export function LinkProgress() {
  const { pending } = useLinkStatus()
  return pending ? <Navigating /> : null
}
