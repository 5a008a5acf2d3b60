'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useSession } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { Countdown } from '#ui/time.tsx'

const HOUR_MS = 3_600_000

/** Tells a guest which zone this is and how much time is left; empty for others. */
export function ZoneBanner() {
  return useSession().role === 'guest' ? <Banner /> : null
}

function Banner() {
  const t = useTranslations('shell')
  const trpc = useTRPC()
  const options = trpc.sessions.me.queryOptions()
  useLiveQueries(['zone.changed'], { queryKey: options.queryKey }, POLL_MS.idle)
  const zone = useQuery({ ...options, refetchInterval: POLL_MS.idle }).data?.zone
  if (!zone) return null
  return (
    <p className="flex flex-wrap gap-x-3 border-b border-line bg-sunken px-4 py-2 text-sm text-ink-2 md:px-8">
      <span className="min-w-0 truncate">{t('zoneName', { name: zone.name })}</span>
      <span>
        {t('zoneAccessEnds')} <Countdown until={zone.expires_at} urgentBelow={HOUR_MS} />
      </span>
    </p>
  )
}
