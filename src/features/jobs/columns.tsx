import { useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { JobRow } from '#contracts/job.contract.ts'
import { columnsOf } from '#ui/data-table-columns.ts'
import { DurationBar, longestOf } from '#ui/duration-bar.tsx'
import { Id } from '#ui/id.tsx'
import { Link } from '#ui/link.tsx'
import { RelativeTime } from '#ui/time.tsx'
import { JobErrorLine } from './components/job-error.tsx'
import { JobStatus } from './components/job-status.tsx'
import { WaitReason } from './components/wait-reason.tsx'

/** The columns of the list; its durations are compared with the longest of `rows`. */
export function useJobColumns(rows: readonly JobRow[] | undefined) {
  const t = useTranslations('jobs')
  const longest = longestOf((rows ?? []).map((j) => ({ from: j.attempt_started_at, to: j.attempt_ended_at })))
  return useMemo(
    () =>
      columnsOf<JobRow>([
        {
          id: 'title',
          header: t('question'),
          width: 'w-full max-w-0',
          card: 'title',
          cell: (j) => <Title job={j} />,
        },
        {
          id: 'status',
          header: t('status'),
          width: 'w-52',
          card: 'corner',
          cell: (j) => <JobStatus job={j} />,
        },
        {
          id: 'agent',
          header: t('agent'),
          cell: (j) => (
            <Link quiet href={`/agents/${j.agent_slug}`}>
              {j.agent_slug}
            </Link>
          ),
        },
        {
          id: 'attempt',
          header: t('attempt'),
          card: 'fact',
          align: 'end',
          cell: (j) => (
            <span className="tabular text-ink-2">
              {t('attemptOf', { n: j.attempt + 1, total: j.max_attempts + 1 })}
            </span>
          ),
        },
        {
          id: 'created',
          header: t('created'),
          align: 'end',
          cell: (j) => <RelativeTime at={j.created_at} className="text-ink-3" />,
        },
        {
          id: 'took',
          header: <span data-tip={t('durationHint')}>{t('duration')}</span>,
          name: t('duration'),
          align: 'end',
          card: 'none',
          cell: (j) =>
            j.attempt_started_at ? (
              <DurationBar
                from={j.attempt_started_at}
                to={j.attempt_ended_at}
                longest={longest}
                className="text-ink-3"
              />
            ) : null,
        },
      ]),
    [t, longest],
  )
}

function Title({ job }: { job: JobRow }) {
  const waits = job.wait_reason && job.wait_reason !== 'backoff'
  return (
    <span className="block min-w-0">
      <span className="block truncate">{job.title || <Id value={job.job_id} />}</span>
      {waits ? (
        <span className="block truncate text-sm text-waiting">
          <WaitReason job={job} />
        </span>
      ) : job.error && !job.artifact_id ? (
        <JobErrorLine error={job.error} className="block truncate text-sm text-ink-3" />
      ) : null}
    </span>
  )
}
