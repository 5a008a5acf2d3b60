'use client'
import { useTranslations } from 'use-intl/react'
import type { LeaseView } from '#contracts/llm-task.contract.ts'
import { SILENT_AFTER_MS } from '#domain/task/lease-time.rules.ts'
import { useNow } from '#lib/clock.tsx'
import { ProgressBar } from '#ui/progress-bar.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { Countdown, RelativeTime } from '#ui/time.tsx'
import { LEASE_STYLES } from '../status.ts'
import { isSilent } from '../task-state.ts'

/** The state of a lease in words. */
export function LeaseStatus({ lease }: { lease: Pick<LeaseView, 'status'> }) {
  const t = useTranslations('tasks')
  return <StatusBadge {...LEASE_STYLES[lease.status]}>{t(`leaseState.${lease.status}`)}</StatusBadge>
}

/** How long an active lease still lasts, as a bar and counting down, and when its worker was last heard. */
export function LeaseLeft({ lease }: { lease: LeaseView }) {
  const t = useTranslations('tasks')
  const now = useNow(1_000)
  const silent = isSilent(lease, now)
  return (
    <div className="max-w-md">
      <ProgressBar
        label={t('leaseLeft')}
        value={Math.max(0, Math.round((lease.expires_at - now) / 1_000))}
        max={lease.ttl_seconds}
        tone={silent ? 'waiting' : 'working'}
        className="my-1.5"
      />
      <p className="flex flex-wrap items-baseline gap-x-3 text-sm text-ink-2">
        <span>
          {lease.expires_at > now ? (
            <>
              {t('leaseEnds')} <Countdown until={lease.expires_at} />
            </>
          ) : (
            t('leaseOver')
          )}
        </span>
        <span className="text-ink-3">
          {lease.last_heartbeat === null ? (
            t('noHeartbeat')
          ) : (
            <>
              {t('lastHeartbeat')} <RelativeTime at={lease.last_heartbeat} />
            </>
          )}
        </span>
        {silent ? (
          <span data-tip={t('silentHint', { seconds: SILENT_AFTER_MS / 1_000 })}>
            <StatusBadge tone="waiting">{t('silent')}</StatusBadge>
          </span>
        ) : null}
      </p>
    </div>
  )
}
