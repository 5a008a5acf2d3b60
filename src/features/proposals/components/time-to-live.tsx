'use client'
import { useTranslations } from 'use-intl/react'
import type { ProposalItem } from '#contracts/proposal.contract.ts'
import { useNow } from '#lib/clock.tsx'
import { ProgressBar } from '#ui/progress-bar.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { Countdown } from '#ui/time.tsx'

const DAY_MS = 86_400_000

/** True while less than a day is left to decide. */
export const useExpiresSoon = (until: string): boolean => new Date(until).getTime() - useNow(30_000) < DAY_MS

/** The mark of a proposal that has less than a day: icon and word. */
export function ExpiresSoon({ until }: { until: string }) {
  const t = useTranslations('proposals')
  return useExpiresSoon(until) ? (
    <StatusBadge tone="waiting" icon="hourglass">
      {t('expiresToday')}
    </StatusBadge>
  ) : null
}

/** How long is left to decide, in words and as a thin bar of the time that it had. */
export function TimeToLive({ proposal }: { proposal: Pick<ProposalItem, 'created_at' | 'expires_at'> }) {
  const t = useTranslations('proposals')
  const soon = useExpiresSoon(proposal.expires_at)
  const [from, until] = [proposal.created_at, proposal.expires_at].map((at) => new Date(at).getTime()) as [
    number,
    number,
  ]
  const left = Math.max(0, until - useNow(30_000))
  return (
    <span className="inline-flex flex-wrap items-center gap-x-3" suppressHydrationWarning>
      <ExpiresSoon until={proposal.expires_at} />
      <span>
        {t('expiresIn')} <Countdown until={proposal.expires_at} urgentBelow={DAY_MS} />
      </span>
      <span className="w-24">
        <ProgressBar
          label={t('timeLeft')}
          value={left}
          max={Math.max(1, until - from)}
          tone={soon ? 'waiting' : 'held'}
          className="!h-1"
        />
      </span>
    </span>
  )
}
