'use client'
import { useId } from 'react'
import { useTranslations } from 'use-intl/react'
import type { JobState } from '#domain/job/job.machine.ts'
import { cx } from '#ui/cx.ts'
import { Link } from '#ui/link.tsx'
import type { StepperState } from '#ui/state-stepper.tsx'
import { TONE_SOFT_FILL, TONE_STROKE, TONE_TEXT } from '#ui/tone.ts'
import { arrows, BOX, PICTURE, PLACES } from '../machine-layout.ts'

const ARROWS = arrows()

/** A state with its count, the list that it leads to, and how many jobs entered and left it in the last hour. */
export type MachineState = Omit<StepperState, 'label'> & {
  id: JobState
  label: string
  rate?: { in: number; out: number } | undefined
}
type Props = { states: readonly MachineState[] }

/** The job machine drawn from its table, with how many jobs are in each state and how many came and went in the last hour; a state leads to its jobs, and the one whose jobs are listed is marked. */
export function JobMachine({ states }: Props) {
  const t = useTranslations('jobs')
  const id = useId()
  return (
    <nav aria-label={t('states')} className="max-w-[67rem] max-lg:hidden">
      <svg viewBox={`0 0 ${PICTURE.width} ${PICTURE.height}`} role="presentation" className="w-full text-sm">
        <defs>
          <marker id={id} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0.5L8 4L0 7.5Z" className="fill-ink-3" />
          </marker>
        </defs>
        <g className="fill-none">
          {ARROWS.map(({ from, to, byPerson, retry, path }) => (
            <path
              key={`${from} ${to}`}
              data-arrow={`${from} ${to}`}
              d={path}
              strokeLinejoin="round"
              markerEnd={`url(#${id})`}
              className={retry ? 'stroke-waiting-fill' : 'stroke-line-strong'}
              {...(byPerson ? { strokeDasharray: '4 3' } : {})}
            />
          ))}
        </g>
        {states.map((state) => (
          <Box key={state.id} state={state} />
        ))}
      </svg>
    </nav>
  )
}

/** A state without jobs is quiet. */
function Box({ state: { id, label, tone, count, href, shown, rate } }: { state: MachineState }) {
  const t = useTranslations('jobs')
  const { x, y } = PLACES[id]
  const some = count !== undefined && count !== '0'
  const moved = rate !== undefined && rate.in + rate.out > 0
  return (
    <Link
      quiet
      href={href ?? '/jobs'}
      {...(moved ? { 'aria-description': t('machineMoved', rate), 'data-tip': t('machineMoved', rate) } : {})}
      {...(shown ? { 'aria-current': 'true' as const } : {})}
      className="group no-underline"
    >
      <g className={some || shown ? TONE_TEXT[tone] : 'text-ink-3'}>
        <rect
          x={x - BOX.width / 2}
          y={y}
          width={BOX.width}
          height={BOX.height}
          rx="6"
          strokeWidth={shown ? 2 : 1}
          className={cx(
            shown ? TONE_SOFT_FILL[tone] : 'fill-surface group-hover:fill-hover',
            some || shown ? TONE_STROKE[tone] : 'stroke-line',
          )}
        />
        <text y={y + 17} textAnchor="middle" fill="currentColor">
          <tspan x={x} className={cx(shown && 'font-semibold')}>
            {label}
          </tspan>{' '}
          <tspan x={x} dy={16} className={cx('tabular', some && 'font-semibold')}>
            {count ?? ''}
          </tspan>
          {moved ? ' ' : null}
          {moved ? (
            <tspan dx="8" className="tabular fill-ink-2 text-xs">
              {t('machineRate', rate)}
            </tspan>
          ) : null}
        </text>
      </g>
    </Link>
  )
}
