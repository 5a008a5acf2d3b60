'use client'
import { useTranslations } from 'use-intl/react'
import type { JobRow } from '#contracts/job.contract.ts'
import { StatusBadge } from '#ui/status-badge.tsx'
import { Countdown } from '#ui/time.tsx'
import { LOOK } from '../status.ts'

type Shown = Pick<JobRow, 'status' | 'not_before'>

/** The state of a job in words; a resting one counts down to its next try. */
export function JobStatus({ job, variant = 'plain' }: { job: Shown; variant?: 'soft' | 'plain' }) {
  const t = useTranslations('jobs')
  const resting = job.status === 'RETRY_BACKOFF' && job.not_before
  return (
    <StatusBadge {...LOOK[job.status]} variant={variant}>
      {resting ? (
        <>
          {t('retryIn')} <Countdown until={job.not_before as string} />
        </>
      ) : (
        t(`state.${job.status}`)
      )}
    </StatusBadge>
  )
}
