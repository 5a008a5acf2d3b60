import { scaleLinear, scaleTime } from 'd3-scale'
import { line } from 'd3-shape'

/** The first line is drawn through, the second dashed, the third dotted: they are told apart without colour. */
const LOOKS = [
  { className: 'stroke-working-fill' },
  { className: 'stroke-failed-fill', strokeDasharray: '5 4' },
  { className: 'stroke-dead-fill', strokeDasharray: '1 4' },
]
/** The units of the picture; it grows and shrinks as a whole. */
const [WIDTH, HEIGHT] = [400, 150]
const [RIGHT, TOP, BOTTOM] = [6, 6, 20]
/** Of a character of the scale, and between it and the picture. */
const [LETTER, GAP] = [6.2, 8]
const LINES = 3

export type ChartLine = { label: string; values: readonly (number | null)[] }
export type LineChartProps = {
  title: string
  /** What there is to see, in words: the picture says nothing to a screen reader. */
  summary: string
  /** Milliseconds, ascending. */
  times: readonly number[]
  /** One to three, each with a value for every time; null is a gap. */
  lines: readonly ChartLine[]
  formatValue: (value: number) => string
  /** What may lie between two lines of the scale, ascending, where that is no round number; the last may be multiplied. */
  steps?: readonly number[]
  formatTime: (ms: number) => string
}

/**
 * Values over time, from nought up; scales and paths by d3-scale and d3-shape. Without animation and without anything that only pointing shows; the numbers stand
 * in a table beside it. Rooms import it from `lazy.tsx`.
 */
export function LineChart({ title, summary, times, lines, formatValue, formatTime, steps }: LineChartProps) {
  const values = lines.flatMap((one) => one.values.filter((value) => value !== null))
  const scale = scaleOf(Math.max(1, ...values), steps).map((value) => ({ value, label: formatValue(value) }))
  const left = GAP + LETTER * Math.max(...scale.map(({ label }) => label.length))
  const x = scaleTime([times[0] ?? 0, times.at(-1) ?? 1], [left, WIDTH - RIGHT])
  const y = scaleLinear([0, scale.at(-1)?.value ?? 1], [HEIGHT - BOTTOM, TOP])
  const path = line<number | null>()
    .defined((value) => value !== null)
    .x((_, n) => x(times[n] ?? 0))
    .y((value) => y(value ?? 0))
  return (
    <figure className="m-0 flex min-w-0 max-w-xl flex-col justify-between">
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
        {scale.map(({ value, label }) => (
          <g key={value} transform={`translate(0 ${y(value)})`}>
            <line x1={left} x2={WIDTH - RIGHT} className="stroke-line" />
            <text x={left - 6} dy="0.35em" textAnchor="end" className="fill-ink-3">
              {label}
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

/** The lines of the scale from nought to the first that is not below the highest value. */
function scaleOf(highest: number, steps: readonly number[] | undefined): number[] {
  if (!steps) return scaleLinear([0, highest], [0, 1]).nice(LINES).ticks(LINES)
  const last = steps.at(-1) ?? 1
  const step = steps.find((one) => one * LINES >= highest) ?? last * Math.ceil(highest / LINES / last)
  return Array.from({ length: Math.ceil(highest / step) + 1 }, (_, n) => n * step)
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
