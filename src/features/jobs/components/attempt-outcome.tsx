'use client'
import { useTranslations } from 'use-intl/react'
import type { JobAttempt } from '#contracts/job.contract.ts'
import type { JobErrorCode } from '#domain/job/job.rules.ts'
import { StatusBadge, type StatusStyle } from '#ui/status-badge.tsx'
import { Countdown } from '#ui/time.tsx'
import type { Tone } from '#ui/tone.ts'
import { CANCELLED_STYLE } from '../status.ts'

const OUTCOMES: Record<JobAttempt['outcome'], StatusStyle> = {
  running: { tone: 'working' },
  complete: { tone: 'done' },
  retried: { tone: 'waiting' },
  failed: { tone: 'failed' },
}
const CANCELLED: JobErrorCode = 'CANCELLED'
const isCancelled = ({ error }: JobAttempt): boolean => error?.code === CANCELLED

/** The tone of an attempt: a cancelled one has not failed. */
export const toneOf = (attempt: JobAttempt): Tone =>
  isCancelled(attempt) ? CANCELLED_STYLE.tone : OUTCOMES[attempt.outcome].tone

type Props = { attempt: JobAttempt; retryAt?: string | null }

/** How an attempt ended, in words; one that waits for its retry counts down to it. */
export function AttemptOutcome({ attempt, retryAt = null }: Props) {
  const t = useTranslations('jobs')
  if (isCancelled(attempt)) return <StatusBadge {...CANCELLED_STYLE}>{t('cancelledState')}</StatusBadge>
  return (
    <StatusBadge {...OUTCOMES[attempt.outcome]}>
      {retryAt ? (
        <>
          {t('retryIn')} <Countdown until={retryAt} />
        </>
      ) : (
        t(`outcome.${attempt.outcome}`)
      )}
    </StatusBadge>
  )
}
