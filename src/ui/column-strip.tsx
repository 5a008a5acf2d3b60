'use client'
import { scaleBand, scaleLinear } from 'd3-scale'
import { type KeyboardEvent, useId, useState } from 'react'
import { cx } from './cx.ts'
import { Link } from './link.tsx'
import { LOOK_FILL, LookLegend, LookPatterns, type PartLook } from './part-look.tsx'

export type StripPart = { id: string; label: string; look: PartLook }
export type StripColumn = {
  id: string
  /** The name of the column with its numbers: what a screen reader says, and a pointer shows. */
  label: string
  href: string
  /** The list shows this column. */
  shown?: boolean
  /** The bars side by side; each is stacked from the bottom of parts by their ids. */
  bars: readonly (readonly { part: string; value: number }[])[]
}
export type ColumnStripProps = {
  title: string
  /** What there is to see, in words. */
  summary: string
  parts: readonly StripPart[]
  columns: readonly StripColumn[]
  /** Below the first column and below the last one. */
  ends: readonly [string, string]
}

/** The units of the picture; it grows and shrinks as a whole, and its box has this shape while it loads. */
const [WIDTH, HEIGHT, BOTTOM] = [660, 110, 4]
const STRIP_BOX = 'aspect-[6/1] w-full max-w-3xl'
/** What its columns have in common, said once. */
const STRIP_COLUMNS =
  '[&_a]:no-underline [&_a]:outline-none [&_a:focus-visible>:first-child]:stroke-focus [&_a:focus-visible>:first-child]:stroke-2'

/**
 * Counts as columns that lead to what they count; places and heights by d3-scale. One stop for the Tab key: arrows, Home and End go from column to
 * column. Parts differ by pattern, not by colour alone, and the numbers stand in a table beside it. Rooms import it from `lazy.tsx`.
 */
export function ColumnStrip({ title, summary, parts, columns, ends }: ColumnStripProps) {
  const id = useId()
  const [at, setAt] = useState(columns.length - 1)
  const x = scaleBand(
    columns.map((column) => column.id),
    [0, WIDTH],
  )
  const y = scaleLinear([0, highestOf(columns)], [HEIGHT - BOTTOM, 2])
  return (
    <figure className="m-0 max-w-3xl">
      <figcaption className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5">
        <span className="text-sm text-ink-2">{summary}</span>
        <LookLegend parts={parts} />
      </figcaption>
      {/* biome-ignore lint/a11y/useSemanticElements: a picture of links, no fields of a form */}
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="group"
        aria-label={title}
        onKeyDown={(event) => setAt(moved(event, at, columns.length))}
        className={cx(STRIP_BOX, STRIP_COLUMNS)}
      >
        <LookPatterns id={id} />
        <line x2={WIDTH} y1={HEIGHT - BOTTOM} y2={HEIGHT - BOTTOM} className="stroke-line" />
        {columns.map((column, n) => (
          <Link
            key={column.id}
            quiet
            href={column.href}
            scroll={false}
            aria-label={column.label}
            data-tip={column.label}
            tabIndex={n === at ? 0 : -1}
            onFocus={() => setAt(n)}
            {...(column.shown ? { 'aria-current': 'true' as const } : {})}
            className="group"
          >
            <Column
              column={column}
              id={id}
              parts={parts}
              left={x(column.id) ?? 0}
              width={x.bandwidth()}
              heightOf={y}
            />
          </Link>
        ))}
      </svg>
      <p aria-hidden className="flex justify-between text-xs text-ink-3">
        <span>{ends[0]}</span>
        <span>{ends[1]}</span>
      </p>
    </figure>
  )
}

type ColumnProps = {
  column: StripColumn
  id: string
  parts: readonly StripPart[]
  left: number
  width: number
  heightOf: (value: number) => number
}

function Column({ column, id, parts, left, width, heightOf }: ColumnProps) {
  const bar = (width - 6) / column.bars.length
  const lookOf = (part: string) => parts.find((one) => one.id === part)?.look ?? 'solid'
  return (
    <>
      <rect
        x={left + 0.5}
        y={0.5}
        width={width - 1}
        height={HEIGHT - 1}
        rx="3"
        className={column.shown ? 'fill-selected' : 'fill-transparent group-hover:fill-hover'}
      />
      {column.bars.map((stack, n) =>
        stacked(stack, heightOf).map(({ part, value, top, height }) =>
          value > 0 ? (
            <rect
              key={part}
              data-part={part}
              data-value={value}
              x={left + 3 + n * bar}
              y={top}
              width={Math.max(1, bar - 1)}
              height={height}
              {...LOOK_FILL[lookOf(part)](id)}
            />
          ) : null,
        ),
      )}
    </>
  )
}

/** The parts of a stack with their places; one that is there at all is seen. */
function stacked(stack: StripColumn['bars'][number], heightOf: (value: number) => number) {
  let below = 0
  return stack.map(({ part, value }) => {
    const [bottom, top] = [heightOf(below), heightOf(below + value)]
    below += value
    const height = Math.max(2, bottom - top)
    return { part, value, top: bottom - height, height }
  })
}

const highestOf = (columns: readonly StripColumn[]): number =>
  Math.max(
    1,
    ...columns.flatMap(({ bars }) => bars.map((bar) => bar.reduce((sum, { value }) => sum + value, 0))),
  )

/** The column that an arrow leads to; it takes the focus. */
function moved(event: KeyboardEvent<SVGSVGElement>, at: number, length: number): number {
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: length - 1 }[event.key]
  if (to === undefined || to < 0 || to >= length) return at
  event.preventDefault()
  event.stopPropagation()
  event.currentTarget.querySelectorAll<SVGAElement>('a')[to]?.focus()
  return to
}
