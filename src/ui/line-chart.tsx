import { scaleLinear, scaleTime } from 'd3-scale'
import { line } from 'd3-shape'

/** The first line is drawn through, the second dashed: they are told apart without colour. */
const LOOKS = [
  { className: 'stroke-working-fill' },
  { className: 'stroke-failed-fill', strokeDasharray: '5 4' },
]
/** The units of the picture; it grows and shrinks as a whole. */
const [WIDTH, HEIGHT] = [400, 150]
const [LEFT, RIGHT, TOP, BOTTOM] = [46, 6, 6, 20]

export type ChartLine = { label: string; values: readonly (number | null)[] }
export type LineChartProps = {
  title: string
  /** What there is to see, in words: the picture says nothing to a screen reader. */
  summary: string
  /** Milliseconds, ascending. */
  times: readonly number[]
  /** One or two, each with a value for every time; null is a gap. */
  lines: readonly ChartLine[]
  formatValue: (value: number) => string
  formatTime: (ms: number) => string
}

/**
 * Values over time, from nought up; scales and paths by d3-scale and d3-shape. Without animation and without anything that only pointing shows; the numbers stand
 * in a table beside it. Rooms import it from `lazy.tsx`.
 */
export function LineChart({ title, summary, times, lines, formatValue, formatTime }: LineChartProps) {
  const values = lines.flatMap((one) => one.values.filter((value) => value !== null))
  const x = scaleTime([times[0] ?? 0, times.at(-1) ?? 1], [LEFT, WIDTH - RIGHT])
  const y = scaleLinear([0, Math.max(1, ...values)], [HEIGHT - BOTTOM, TOP]).nice(3)
  const path = line<number | null>()
    .defined((value) => value !== null)
    .x((_, n) => x(times[n] ?? 0))
    .y((value) => y(value ?? 0))
  return (
    <figure className="m-0 min-w-0 max-w-xl">
      <figcaption>
        <span className="font-medium text-ink">{title}</span>
        <span className="ml-2 text-sm text-ink-2">{summary}</span>
        {lines.length > 1 ? <Legend lines={lines} /> : null}
      </figcaption>
      <svg
        role="img"
        aria-label={`${title}: ${summary}`}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        className="mt-1 w-full fill-none text-[11px]"
      >
        {y.ticks(3).map((tick) => (
          <g key={tick} transform={`translate(0 ${y(tick)})`}>
            <line x1={LEFT} x2={WIDTH - RIGHT} className="stroke-line" />
            <text x={LEFT - 6} dy="0.35em" textAnchor="end" className="fill-ink-3">
              {formatValue(tick)}
            </text>
          </g>
        ))}
        {x.ticks(4).map((tick) => (
          <text
            key={tick.getTime()}
            x={x(tick)}
            y={HEIGHT - 5}
            textAnchor={x(tick) > WIDTH - 30 ? 'end' : 'middle'}
            className="fill-ink-3"
            suppressHydrationWarning
          >
            {formatTime(tick.getTime())}
          </text>
        ))}
        {lines.map((one, n) => (
          <path
            key={one.label}
            data-line={n}
            d={path(one.values) ?? ''}
            {...LOOKS[n]}
            strokeWidth="1.5"
            strokeLinecap="round"
            strokeLinejoin="round"
          />
        ))}
      </svg>
    </figure>
  )
}

function Legend({ lines }: { lines: readonly ChartLine[] }) {
  return (
    <ul className="mt-0.5 flex flex-wrap gap-x-4 text-xs text-ink-2">
      {lines.map(({ label }, n) => (
        <li key={label} className="inline-flex items-center gap-1.5">
          <svg width="20" height="6" aria-hidden>
            <line x2="20" y1="3" y2="3" {...LOOKS[n]} strokeWidth="2" />
          </svg>
          {label}
        </li>
      ))}
    </ul>
  )
}
