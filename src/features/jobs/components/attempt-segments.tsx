'use client'
import { useId } from 'react'
import { useTranslations } from 'use-intl/react'
import { cx } from '#ui/cx.ts'
import { TONE_FILL, TONE_STROKE, type Tone } from '#ui/tone.ts'
import { type AttemptRow, SEGMENT_KINDS, type Segment, type SegmentKind } from '../attempt-rounds.ts'

/**
 * The kinds of time in an attempt are told apart by height and filling alone, so without colour: context is an outline, extraction is solid, saving
 * striped, backoff hatched, and the queue a thin line. Colour says how the attempt ended.
 */
const SHAPES: Record<
  SegmentKind,
  { y: number; height: number; fill: 'none' | 'solid' | 'stripes' | 'hatch' }
> = {
  CONTEXT_ASSEMBLY: { y: 9, height: 10, fill: 'none' },
  NOTEBOOKLM_CALL: { y: 6, height: 16, fill: 'solid' },
  ARTIFACT_WRITE: { y: 6, height: 16, fill: 'stripes' },
  queue: { y: 12, height: 4, fill: 'solid' },
  backoff: { y: 8, height: 12, fill: 'hatch' },
}
/** The pauses have a tone of their own. */
const PAUSES: Partial<Record<SegmentKind, Tone>> = { queue: 'waiting', backoff: 'waiting' }

/** The fillings that the bars of one picture refer to. */
export function SegmentPatterns({ id, tone }: { id: string; tone: Tone }) {
  return (
    <defs>
      <pattern id={`${id}stripes`} width="4" height="4" patternUnits="userSpaceOnUse">
        <rect width="2" height="4" className={TONE_FILL[tone]} />
      </pattern>
      <pattern
        id={`${id}hatch`}
        width="6"
        height="6"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <rect width="1.5" height="6" className={TONE_FILL.waiting} />
      </pattern>
    </defs>
  )
}

type BarProps = Pick<Segment, 'kind' | 'to'> & { x: string; width: string; tone: Tone; patterns: string }

/** One stretch of time. */
export function SegmentBar({ kind, to, x, width, tone, patterns }: BarProps) {
  const { y, height, fill } = SHAPES[kind]
  const own = PAUSES[kind] ?? tone
  const filled = fill === 'stripes' || fill === 'hatch'
  return (
    <rect
      data-segment={kind}
      x={x}
      width={width}
      y={y}
      height={height}
      rx="2"
      {...(filled ? { fill: `url(#${patterns}${fill})` } : {})}
      className={cx(
        fill === 'solid' && TONE_FILL[own],
        fill === 'none' && 'fill-surface',
        fill !== 'solid' && TONE_STROKE[own],
        to === null && 'pulse',
      )}
    />
  )
}

/** What the shapes mean, as far as they are drawn. */
export function SegmentLegend({ rows, now }: { rows: readonly AttemptRow[]; now: boolean }) {
  const t = useTranslations('jobs')
  const id = useId()
  const drawn = new Set(rows.flatMap(({ segments }) => segments.map(({ kind }) => kind)))
  const word = (kind: SegmentKind) =>
    kind === 'queue' || kind === 'backoff' ? t(`segment.${kind}`) : t(`state.${kind}`)
  return (
    <ul aria-label={t('legend')} className="flex flex-wrap gap-x-4 gap-y-1 sm:col-start-2 sm:col-end-4">
      {SEGMENT_KINDS.filter((kind) => drawn.has(kind)).map((kind) => (
        <li key={kind} className="flex items-center gap-1.5">
          <svg width="18" height="28" className="-my-1.5" aria-hidden="true">
            <SegmentPatterns id={`${id}${kind}`} tone="held" />
            <SegmentBar kind={kind} to={0} x="1" width="16" tone="held" patterns={`${id}${kind}`} />
          </svg>
          {word(kind)}
        </li>
      ))}
      {now ? (
        <li className="flex items-center gap-1.5">
          <svg width="8" height="14" aria-hidden="true">
            <line x1="4" x2="4" y2="14" className="stroke-ink" strokeDasharray="3 2" />
          </svg>
          {t('segment.now')}
        </li>
      ) : null}
    </ul>
  )
}
