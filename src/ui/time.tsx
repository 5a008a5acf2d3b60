'use client'
import { useFormatter, useLocale } from 'use-intl/react'
import { useNow } from '#lib/clock.tsx'
import { formatDuration } from '#lib/duration.ts'
import { cx } from './cx.ts'

type Instant = string | number | Date

const MINUTE = 60_000
const EXACT = { dateStyle: 'medium', timeStyle: 'medium' } as const

/** "3 min ago" with the exact instant on hover and for a screen reader; ticks by itself. */
export function RelativeTime({ at, className }: { at: Instant; className?: string }) {
  const format = useFormatter()
  const date = new Date(at)
  const now = useNow(Math.abs(Date.now() - date.getTime()) < 2 * MINUTE ? 1_000 : 30_000)
  const exact = format.dateTime(date, EXACT)
  return (
    <time
      suppressHydrationWarning
      dateTime={date.toISOString()}
      data-tip={exact}
      className={cx('whitespace-nowrap', className)}
    >
      {format.relativeTime(date, { now: new Date(Math.abs(now - date.getTime()) < 1_000 ? date : now) })}
    </time>
  )
}

/** The exact instant in the reader's zone. */
export function ExactTime({ at, className }: { at: Instant; className?: string }) {
  const format = useFormatter()
  const date = new Date(at)
  return (
    <time
      suppressHydrationWarning
      dateTime={date.toISOString()}
      className={cx('whitespace-nowrap', className)}
    >
      {format.dateTime(date, EXACT)}
    </time>
  )
}

/** How long something took, or takes: without `to` it ticks. */
export function Duration({
  from,
  to,
  className,
}: {
  from: Instant
  to?: Instant | null
  className?: string
}) {
  return to ? (
    <Fixed ms={new Date(to).getTime() - new Date(from).getTime()} className={className} />
  ) : (
    <Running from={from} className={className} />
  )
}

/** A known length in milliseconds. */
export function Milliseconds({ ms }: { ms: number }) {
  return <Fixed ms={ms} className={undefined} />
}

function Fixed({ ms, className }: { ms: number; className: string | undefined }) {
  return (
    <span className={cx('tabular whitespace-nowrap', className)}>
      {formatDuration(ms, useLocale(), true)}
    </span>
  )
}

function Running({ from, className }: { from: Instant; className: string | undefined }) {
  const now = useNow(1_000)
  return (
    <span className={cx('tabular whitespace-nowrap', className)}>
      {formatDuration(now - new Date(from).getTime(), useLocale())}
    </span>
  )
}

type CountdownProps = {
  until: Instant
  /** What is shown when the time is up. */
  due?: string
  /** From this many milliseconds on it is shown as urgent. */
  urgentBelow?: number
  className?: string
}

/** Counts down to an instant of the server's clock; rounds up, so that "1 s" never means "over". */
export function Countdown({ until, due = '0', urgentBelow = 0, className }: CountdownProps) {
  const locale = useLocale()
  const left = new Date(until).getTime() - useNow(1_000)
  return (
    <time
      suppressHydrationWarning
      dateTime={new Date(until).toISOString()}
      className={cx(
        'tabular whitespace-nowrap',
        left > 0 && left < urgentBelow && 'font-medium text-waiting',
        className,
      )}
    >
      {left > 0 ? formatDuration(Math.ceil(left / 1_000) * 1_000, locale) : due}
    </time>
  )
}
