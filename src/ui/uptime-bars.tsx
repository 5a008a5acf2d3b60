import { useId } from 'react'
import { LOOK_FILL, LookPatterns, type PartLook } from './part-look.tsx'

const [BAR, GAP, HEIGHT] = [6, 2, 24]

type Props = {
  /** The look of each bucket, the oldest first, and what a pointer shows of it. */
  buckets: readonly { look: PartLook; tip: string }[]
  /** What there is to see, in words: the picture says nothing more to a screen reader. */
  summary: string
}

/** The states of something over time, a bar a bucket: told apart by pattern. The numbers stand in a table beside it. */
export function UptimeBars({ buckets, summary }: Props) {
  const id = useId()
  const width = buckets.length * (BAR + GAP) - GAP
  return (
    <svg
      role="img"
      aria-label={summary}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="h-6 w-full print:[print-color-adjust:exact]"
    >
      <LookPatterns id={id} />
      {buckets.map(({ look, tip }, n) => (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: a bucket is its place
          key={n}
          data-look={look}
          data-tip={tip}
          x={n * (BAR + GAP) + 0.5}
          y={0.5}
          width={BAR - 1}
          height={HEIGHT - 1}
          {...LOOK_FILL[look](id)}
        />
      ))}
    </svg>
  )
}
