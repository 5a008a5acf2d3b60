'use client'
import { useId, useState } from 'react'
import { LOOK_FILL, LookPatterns, type PartLook } from './part-look.tsx'

const [BAR, GAP, HEIGHT] = [6, 2, 24]
const STEP = BAR + GAP

type Props = {
  /** The look of each bucket, the oldest first. */
  buckets: readonly PartLook[]
  /** What a pointer shows of a bucket, by its place. */
  tipOf: (n: number) => string
  /** What there is to see, in words: the picture says nothing more to a screen reader. */
  summary: string
}

/**
 * The states of something over time, a bar a bucket: told apart by pattern. The numbers stand in a table beside it. All bars of one look are one shape,
 * since there are hundreds of them on a page; what a pointer can ask of each is drawn when one comes.
 */
export function UptimeBars({ buckets, tipOf, summary }: Props) {
  const id = useId()
  const [isPointedAt, setPointedAt] = useState(false)
  return (
    <svg
      role="img"
      aria-label={summary}
      viewBox={`0 0 ${buckets.length * STEP - GAP} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="h-6 w-full print:[print-color-adjust:exact]"
      onPointerEnter={() => setPointedAt(true)}
    >
      <LookPatterns id={id} />
      {[...new Set(buckets)].map((look) => (
        <path key={look} data-look={look} d={barsOf(buckets, look)} {...LOOK_FILL[look](id)} />
      ))}
      {isPointedAt
        ? buckets.map((_, n) => (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: a bucket is its place
              key={n}
              data-tip={tipOf(n)}
              x={n * STEP}
              width={STEP}
              height={HEIGHT}
              className="fill-transparent"
            />
          ))
        : null}
    </svg>
  )
}

/** The outlines of the bars of one look. */
const barsOf = (buckets: Props['buckets'], look: PartLook): string =>
  buckets
    .flatMap((one, n) => (one === look ? [`M${n * STEP + 0.5} .5h${BAR - 1}v${HEIGHT - 1}h${1 - BAR}z`] : []))
    .join('')
