const [BAR, GAP, HEIGHT] = [3, 1, 22]

type Props = {
  /** One for each step, oldest first. */
  values: readonly number[]
  /** What there is to see, in words: the picture says nothing to a screen reader. */
  summary: string
}

/** Counts over time in the space of a word: a bar a step, a dot where there was none. The numbers stand in a table beside it. */
export function Sparkline({ values, summary }: Props) {
  const highest = Math.max(1, ...values)
  const width = values.length * (BAR + GAP)
  return (
    <svg
      role="img"
      aria-label={summary}
      data-tip={summary}
      width={width}
      height={HEIGHT}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      className="inline-block align-middle"
    >
      {values.map((value, n) => {
        const height = value === 0 ? 1 : Math.max(3, (value / highest) * HEIGHT)
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place
            key={n}
            data-value={value}
            x={n * (BAR + GAP)}
            y={HEIGHT - height}
            width={BAR}
            height={height}
            className={value === 0 ? 'fill-line-strong' : 'fill-failed-fill'}
          />
        )
      })}
    </svg>
  )
}
