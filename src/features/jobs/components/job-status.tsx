'use client'
import { useTranslations } from 'use-intl/react'
import type { JobRow } from '#contracts/job.contract.ts'
import { StatusBadge } from '#ui/status-badge.tsx'
import { Countdown } from '#ui/time.tsx'
import { STATUS_STYLES } from '../status.ts'

type Shown = Pick<JobRow, 'status' | 'not_before'>

/** The state of a job in words; in backoff it counts down to the next attempt. */
export function JobStatus({ job, variant = 'plain' }: { job: Shown; variant?: 'soft' | 'plain' }) {
  const t = useTranslations('jobs')
  const inBackoff = job.status === 'RETRY_BACKOFF' && job.not_before
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
