'use client'
import { useId } from 'react'
import { useLocale, useTranslations } from 'use-intl/react'
import type { JobDetail, JobError } from '#contracts/job.contract.ts'
import { type JobState, jobMachine } from '#domain/job/job.machine.ts'
import { useNow } from '#lib/clock.tsx'
import { formatDuration } from '#lib/duration.ts'
import { Duration, ExactTime } from '#ui/time.tsx'
import { type AttemptRow, type Axis, axisOf, type Round, roundsOf, workOf } from '../attempt-rounds.ts'
import { AttemptOutcome, toneOf } from './attempt-outcome.tsx'
import { SegmentBar, SegmentLegend, SegmentPatterns } from './attempt-segments.tsx'
import { AttemptTable } from './attempt-table.tsx'
import { JobErrorLine } from './job-error.tsx'

const RETRYING: JobState = jobMachine.events.nlm_busy.to

/** Every attempt as a bar on one time axis, with the pauses between them; earlier rounds, before a requeue, have axes of their own. */
export function AttemptTimeline({ job }: { job: JobDetail }) {
  const t = useTranslations('jobs')
  const rounds = roundsOf(job.attempts)
  return (
    <>
      {rounds.map((round, n) => (
        <RoundFigure key={round.round} job={job} round={round} newest={n === 0} />
      ))}
      <details className="mt-3">
        <summary data-chrome className="cursor-pointer text-sm text-ink-2">
          {t('showTable')}
        </summary>
        <AttemptTable attempts={job.attempts} />
      </details>
    </>
  )
}

type RoundProps = { job: JobDetail; round: Round; newest: boolean }

function RoundFigure({ job, round, newest }: RoundProps) {
  const t = useTranslations('jobs')
  const { rows } = round
  const pausing = newest && job.status === RETRYING
  const going = pausing || rows.some(({ attempt }) => attempt.finished_at === null)
  const now = useNow(going ? 1_000 : 60_000)
  const axis = axisOf(rows, now)
  const queued = round.queued_at
  return (
    <figure aria-label={t('attempts')} className="m-0 mt-4 first:mt-0">
      <figcaption className="mb-1 text-sm text-ink-3">
        {newest ? null : (
          <span className="mr-3">
            {t('earlierRound')} {queued ? <ExactTime at={queued} /> : null}
          </span>
        )}
        <Totals rows={rows} now={now} queued={queued} />
      </figcaption>
      <ol className="grid gap-1">
        {rows.map((row, n) => (
          <AttemptLine
            key={row.attempt.started_at}
            row={row}
            axis={axis}
            now={now}
            retryAt={pausing && n === rows.length - 1 ? job.not_before : null}
            said={newest ? job.error : null}
          />
        ))}
      </ol>
      <div className="mt-1 grid grid-cols-[8rem_1fr_9rem] gap-x-3 gap-y-1 text-xs text-ink-3 max-sm:grid-cols-1">
        <span className="flex justify-between sm:col-start-2" aria-hidden>
          <span>0</span>
          <Length ms={axis.total} />
        </span>
        <SegmentLegend rows={rows} now={axis.live} />
      </div>
    </figure>
  )
}

/** How long the attempts worked together, and how long the first was queued. */
function Totals({ rows, now, queued }: { rows: Round['rows']; now: number; queued: string | null }) {
  const t = useTranslations('jobs')
  const locale = useLocale()
  const attempts = rows.map(({ attempt }) => attempt)
  const first = attempts[0]
  const waited = queued && first ? Date.parse(first.started_at) - Date.parse(queued) : 0
  const time = formatDuration(workOf(attempts, now), locale, true)
  return (
    <>
      {t('worked', { time, count: attempts.length })}
      {waited >= 1_000 ? ` · ${t('queuedFor', { time: formatDuration(waited, locale, true) })}` : null}
    </>
  )
}

function Length({ ms }: { ms: number }) {
  return <span className="tabular">{formatDuration(ms, useLocale(), true)}</span>
}

type LineProps = {
  row: AttemptRow
  axis: Axis
  now: number
  /** When the next attempt comes, while this one waits for it. */
  retryAt: string | null
  /** The error that the page has shown already. */
  said: JobError | null
}

function AttemptLine({ row: { attempt, segments }, axis, now, retryAt, said }: LineProps) {
  const t = useTranslations('jobs')
  const id = useId()
  const { error } = attempt
  const repeated = error?.code === said?.code && error?.message === said?.message
  return (
    <li className="grid grid-cols-[8rem_1fr_9rem] items-center gap-x-3 max-sm:grid-cols-[1fr_auto]">
      <span className="truncate text-sm text-ink">
        {attempt.attempt === 0 ? t('firstAttempt') : t('retry', { n: attempt.attempt })}
      </span>
      <svg className="h-7 w-full max-sm:order-last max-sm:col-span-2" aria-hidden="true">
        <SegmentPatterns id={id} tone={toneOf(attempt)} />
        <line x1="0" x2="100%" y1="50%" y2="50%" className="stroke-line" />
        {segments.map((segment) => (
          <SegmentBar
            key={`${segment.kind}${segment.from}`}
            {...segment}
            x={axis.x(segment.from)}
            width={axis.width(segment.from, segment.to ?? Math.max(now, segment.from))}
            tone={toneOf(attempt)}
            patterns={id}
          />
        ))}
        {axis.live ? (
          <line
            data-now
            x1={axis.x(now)}
            x2={axis.x(now)}
            y1="0"
            y2="100%"
            className="stroke-ink"
            strokeDasharray="3 2"
          />
        ) : null}
      </svg>
      <span className="flex flex-wrap items-center justify-end gap-x-2 text-right text-sm text-ink-2">
        <AttemptOutcome attempt={attempt} retryAt={retryAt} />
        <Duration from={attempt.started_at} to={attempt.finished_at} />
      </span>
      {error && !repeated ? (
        <JobErrorLine
          error={error}
          className="col-start-2 col-end-4 text-sm text-ink-2 max-sm:order-last max-sm:col-span-2 max-sm:col-start-1"
        />
      ) : null}
    </li>
  )
}
