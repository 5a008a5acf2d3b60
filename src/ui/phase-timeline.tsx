'use client'
import { useLocale, useTranslations } from 'use-intl/react'
import { useNow } from '#lib/clock.tsx'
import { formatDuration } from '#lib/duration.ts'
import { cx } from './cx.ts'
import { type Bar, type Phase, scaleOf } from './phase-scale.ts'
import { StatusBadge } from './status-badge.tsx'
import { TONE_FILL, type Tone } from './tone.ts'

const TONE: Record<Bar['kind'], Tone> = {
  work: 'working',
  done: 'done',
  failed: 'failed',
  wait: 'waiting',
  retry: 'held',
}

type Props = {
  label: string
  phases: readonly (Phase & { label: string; status: { tone: Tone; word: string } | null })[]
  /** The instants (ms) at which the run was taken up again. */
  resumes?: readonly number[]
}

/** A run as phases on one time axis: work and waiting apart, a tick at each resume, not reached phases outlined. */
export function PhaseTimeline({ label, phases, resumes = [] }: Props) {
  const t = useTranslations('ui')
  const locale = useLocale()
  const running = phases.some((p) => p.bars.some((b) => b.to === null))
  const now = useNow(running ? 1_000 : 60_000)
  const scale = scaleOf(phases, now)
  return (
    <figure aria-label={label} className="m-0">
      <ol className="grid gap-0.5">
        {phases.map((phase, i) => (
          <li
            key={phase.id}
            className="grid grid-cols-[minmax(8rem,11rem)_1fr_8rem] items-center gap-x-3 max-sm:grid-cols-[1fr_auto]"
          >
            <span
              className={cx(
                'flex items-baseline gap-2 truncate text-sm',
                phase.bars.length ? 'text-ink' : 'text-ink-3',
              )}
            >
              <span className="tabular w-3 text-ink-3">{i + 1}</span>
              {phase.label}
            </span>
            <svg className="h-7 w-full max-sm:order-last max-sm:col-span-2" aria-hidden="true">
              <line x1="0" x2="100%" y1="50%" y2="50%" className="stroke-line" />
              {resumes.map((at) => (
                <line
                  key={at}
                  x1={scale.x(at)}
                  x2={scale.x(at)}
                  y1="0"
                  y2="100%"
                  className="stroke-dead"
                  strokeDasharray="2 2"
                />
              ))}
              {phase.bars.map((bar) => (
                <rect
                  key={`${bar.kind}${bar.from}`}
                  x={scale.x(bar.from)}
                  width={scale.width(bar.from, bar.to ?? now)}
                  y={bar.kind === 'wait' ? 11 : 7}
                  height={bar.kind === 'wait' ? 6 : 14}
                  rx="3"
                  className={cx(TONE_FILL[TONE[bar.kind]], bar.to === null && 'pulse')}
                />
              ))}
            </svg>
            <span className="tabular text-right text-sm leading-tight text-ink-2">
              {phase.bars.length ? (
                <Spent {...scale.spent(phase, now)} />
              ) : (
                (phase.status?.word ?? t('notStarted'))
              )}
            </span>
            {phase.status?.tone === 'failed' ? (
              <span className="col-start-2 max-sm:col-start-1">
                <StatusBadge tone="failed">{phase.status.word}</StatusBadge>
              </span>
            ) : phase.status && phase.bars.length ? (
              <span className="sr-only">{phase.status.word}</span>
            ) : null}
          </li>
        ))}
      </ol>
      <figcaption className="mt-1 grid grid-cols-[minmax(8rem,11rem)_1fr_8rem] gap-x-3 gap-y-1 text-xs text-ink-3 max-sm:grid-cols-1">
        <span className="flex justify-between sm:col-start-2">
          <span>0</span>
          <span className="tabular">{formatDuration(scale.total, locale, true)}</span>
        </span>
        <Legend phases={phases} />
      </figcaption>
    </figure>
  )
}

/** The time at work; waiting stands apart, below it. */
function Spent({ work, wait }: { work: number; wait: number }) {
  const t = useTranslations('ui')
  const locale = useLocale()
  return (
    <>
      {work > 0 || wait === 0 ? <span className="block">{formatDuration(work, locale, true)}</span> : null}
      {wait > 0 ? (
        <span className="block text-xs text-waiting">
          {t('waited', { time: formatDuration(wait, locale, true) })}
        </span>
      ) : null}
    </>
  )
}

const KINDS = Object.keys(TONE) as Bar['kind'][]

/** What the colours of these bars mean. */
function Legend({ phases }: Pick<Props, 'phases'>) {
  const t = useTranslations('ui')
  const drawn = new Set(phases.flatMap((phase) => phase.bars.map((bar) => bar.kind)))
  return (
    <ul aria-label={t('legend')} className="flex flex-wrap gap-x-4 gap-y-1 sm:col-start-2">
      {KINDS.filter((kind) => drawn.has(kind)).map((kind) => (
        <li key={kind} className="flex items-center gap-1.5">
          <svg width="10" height="10" aria-hidden="true">
            <rect
              width="10"
              height={kind === 'wait' ? 4 : 10}
              y={kind === 'wait' ? 3 : 0}
              rx="2"
              className={TONE_FILL[TONE[kind]]}
            />
          </svg>
          {t(`bar.${kind}`)}
        </li>
      ))}
    </ul>
  )
}
