'use client'
import { useNow } from '#lib/clock.tsx'
import { Duration } from './time.tsx'

type Instant = string | number | Date
type Props = {
  from: Instant
  /** Absent while it lasts. */
  to?: Instant | null
  /** The longest of those beside it, in ms: a bar as wide as the figure's place. */
  longest: number
  className?: string
}

/** A duration with a thin bar below its figure, to see the slow ones in a column; the bar takes no place, and a screen reader hears the figure alone. */
export function DurationBar({ from, to, longest, className }: Props) {
  const started = new Date(from).getTime()
  return (
    <span className="relative md:block md:min-w-20">
      <Duration from={from} to={to ?? null} {...(className ? { className } : {})} />
      {to ? (
        <Bar ms={new Date(to).getTime() - started} longest={longest} />
      ) : (
        <RunningBar started={started} longest={longest} />
      )}
    </span>
  )
}

function RunningBar({ started, longest }: { started: number; longest: number }) {
  return <Bar ms={useNow(10_000) - started} longest={longest} running />
}

/** A line and no background: it is printed, and seen in forced colours. Without a style of its own, which a page may not carry. */
function Bar({ ms, longest, running = false }: { ms: number; longest: number; running?: boolean }) {
  const share = longest > 0 ? Math.min(1, Math.max(0, ms / longest)) : 0
  return (
    <svg
      aria-hidden="true"
      data-share={share.toFixed(2)}
      className="absolute inset-x-0 -bottom-0.5 h-0.5 w-full max-md:hidden"
    >
      <line
        x1={`${100 - Math.max(share * 100, 2)}%`}
        x2="100%"
        y1="1"
        y2="1"
        strokeWidth="2"
        strokeDasharray={running ? '4 3' : undefined}
        className={running ? 'stroke-working' : 'stroke-line-strong'}
      />
    </svg>
  )
}

type Times = { from: Instant | null; to: Instant | null }

/** The longest of what has ended, in ms; nought where nothing has. */
export const longestOf = (times: readonly Times[]): number =>
  times.reduce(
    (most, { from, to }) =>
      from !== null && to !== null ? Math.max(most, new Date(to).getTime() - new Date(from).getTime()) : most,
    0,
  )
