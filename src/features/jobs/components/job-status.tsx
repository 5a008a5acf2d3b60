'use client'
import { useTranslations } from 'use-intl/react'
import type { JobRow } from '#contracts/job.contract.ts'
import { StatusBadge } from '#ui/status-badge.tsx'
import { Countdown } from '#ui/time.tsx'
import { CANCELLED_STYLE, STATUS_STYLES } from '../status.ts'

type Shown = Pick<JobRow, 'status' | 'not_before'> & Partial<Pick<JobRow, 'failure_kind'>>

/** Whether a person ended the job before it could fail. */
export const isCancelled = ({ failure_kind }: Partial<Pick<JobRow, 'failure_kind'>>): boolean =>
  failure_kind === 'cancelled'

/** The state of a job in words; in backoff it counts down to the next attempt, and a cancelled job is not called failed. */
export function JobStatus({ job, variant = 'plain' }: { job: Shown; variant?: 'soft' | 'plain' }) {
  const t = useTranslations('jobs')
  const inBackoff = job.status === 'RETRY_BACKOFF' && job.not_before
  if (isCancelled(job))
    return (
      <StatusBadge {...CANCELLED_STYLE} variant={variant}>
        {t('cancelledState')}
      </StatusBadge>
    )
  return (
    <StatusBadge {...STATUS_STYLES[job.status]} variant={variant}>
      {inBackoff ? (
        <>
          {t('retryIn')} <Countdown until={job.not_before as string} />
        </>
      ) : (
        t(`state.${job.status}`)
      )}
    </StatusBadge>
  )
}
