'use client'
import { useTranslations } from 'use-intl/react'
import type { JobAttempt, JobDetail, JobHistoryRow } from '#contracts/job.contract.ts'
import { type JobState, jobMachine } from '#domain/job/job.machine.ts'
import type { JobErrorCode } from '#domain/job/job.rules.ts'
import { cx } from '#ui/cx.ts'
import { Link } from '#ui/link.tsx'
import { StatusBadge, type StatusStyle } from '#ui/status-badge.tsx'
import { Milliseconds, RelativeTime } from '#ui/time.tsx'
import { CANCELLED_STYLE } from '../status.ts'
import { JobErrorLine } from './job-error.tsx'

const OUTCOME: Record<JobAttempt['outcome'], StatusStyle> = {
  running: { tone: 'working' },
  complete: { tone: 'done' },
  retried: { tone: 'waiting' },
  failed: { tone: 'failed' },
}

const CANCELLED: JobErrorCode = 'CANCELLED'

/** Each attempt with the duration of its phases and its outcome. */
export function JobAttempts({ job }: { job: JobDetail }) {
  const t = useTranslations('jobs')
  return (
    <ol className="space-y-2">
      {job.attempts.map((a) => (
        <li key={a.started_at} className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
          <span className="w-24 text-ink-2">
            {a.attempt === 0 ? t('firstAttempt') : t('retry', { n: a.attempt })}
          </span>
          {a.error?.code === CANCELLED ? (
            <StatusBadge {...CANCELLED_STYLE}>{t('cancelledState')}</StatusBadge>
          ) : (
            <StatusBadge {...OUTCOME[a.outcome]}>{t(`outcome.${a.outcome}`)}</StatusBadge>
          )}
          <span className="text-sm text-ink-3">
            {a.phases.map((p, i) => (
              <span key={p.state}>
                {i > 0 ? ' · ' : ''}
                {wordOf(t, p.state)} {p.ms === null ? '' : <Milliseconds ms={p.ms} />}
              </span>
            ))}
          </span>
          {a.error ? (
            <JobErrorLine
              error={a.error}
              className={cx(
                'basis-full pl-28 text-sm max-md:pl-0',
                a.error.code === CANCELLED ? 'text-ink-3' : 'text-failed',
              )}
            />
          ) : null}
        </li>
      ))}
    </ol>
  )
}

/** Every transition and every refused write, oldest first. */
export function JobHistory({ job }: { job: JobDetail }) {
  const t = useTranslations('jobs')
  return (
    <ol className="space-y-1.5">
      {job.history.map((h) => (
        <li key={h.event_id} className="grid grid-cols-[7rem_minmax(0,1fr)] gap-x-4 text-sm">
          <RelativeTime at={h.at} className="tabular text-ink-3" />
          <span className="min-w-0">
            <Link quiet href={`/audit?id=${h.event_id}`} className="text-ink">
              {line(t, h)}
            </Link>
            <span className="ml-2 text-ink-3">{t('by', { actor: h.actor })}</span>
            {h.backoff_seconds ? (
              <span className="ml-2 text-waiting">{t('backoff', { seconds: h.backoff_seconds })}</span>
            ) : null}
            {h.reason ? <span className="ml-2 text-ink-2">“{h.reason}”</span> : null}
            {h.error ? <span className="ml-2 font-mono text-failed">{h.error.code}</span> : null}
          </span>
        </li>
      ))}
    </ol>
  )
}

type Words = ReturnType<typeof useTranslations<'jobs'>>
const isState = (word: string): word is JobState => (jobMachine.states as readonly string[]).includes(word)
const wordOf = (t: Words, state: string) => (isState(state) ? t(`state.${state}`) : state)
const line = (t: Words, h: JobHistoryRow) =>
  h.to
    ? [h.from, h.to]
        .filter((s) => s !== null)
        .map((s) => wordOf(t, s))
        .join(' → ')
    : h.event
