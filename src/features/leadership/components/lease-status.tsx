'use client'
import { useTranslations } from 'use-intl/react'
import type { LeadershipSummary } from '#contracts/leadership-console.contract.ts'
import { useNow } from '#lib/clock.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { Countdown } from '#ui/time.tsx'
import { LEASE_STYLES } from '../status.ts'

type Lease = Pick<LeadershipSummary, 'lease_state' | 'ttl_seconds' | 'as_of'>

/** When the lease ends, in milliseconds of the server's clock: what remained by the store's clock, from the moment of the answer. */
export const leaseEnd = ({ as_of, ttl_seconds }: Pick<Lease, 'as_of' | 'ttl_seconds'>): number =>
  (as_of + (ttl_seconds ?? 0)) * 1_000

/** A valid lease has expired once its time is up, also before the page hears of it. */
export function useLeaseState(lease: Lease): Lease['lease_state'] {
  const now = useNow(1_000)
  return lease.lease_state === 'valid' && now >= leaseEnd(lease) ? 'expired' : lease.lease_state
}

/** The state of a lease and what is left of it. */
export function LeaseStatus({ lease }: { lease: Lease }) {
  const t = useTranslations('leadership')
  const state = useLeaseState(lease)
  if (state === null) return <span className="text-sm text-ink-3">{t('notChecked')}</span>
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 md:flex-nowrap md:whitespace-nowrap">
      <StatusBadge {...LEASE_STYLES[state]}>{t(`leaseState.${state}`)}</StatusBadge>
      {state === 'valid' ? (
        <span className="text-sm text-ink-3">
          {t('expiresIn')} <Countdown until={leaseEnd(lease)} due={t('expired')} urgentBelow={60_000} />
        </span>
      ) : null}
    </span>
  )
}
