'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import { may } from '#domain/authority/matrix.ts'
import { POLL_MS } from '#lib/polling.ts'
import { useSession } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { Link } from '#ui/link.tsx'
import { Notice } from '#ui/notice.tsx'
import { RelativeTime } from '#ui/time.tsx'

/** One call in vain is a hiccup: two are half a minute. */
const FAILURES = 2

/** Says that the control plane does not answer, so that what it tells of workers is old; nothing while it does. */
export function ControlPlaneNotice() {
  const t = useTranslations('workers')
  const trpc = useTRPC()
  const { role } = useSession()
  const { data } = useQuery(
    trpc.workers.controlPlane.queryOptions(undefined, { refetchInterval: POLL_MS.slow }),
  )
  if (!data || data.consecutiveFailures < FAILURES) return null
  return (
    <Notice tone="waiting" title={t('controlPlaneAway')} detail={data.lastError}>
      {data.lastSuccess === null ? (
        t('controlPlaneNever')
      ) : (
        <>
          {t('controlPlaneSince')} <RelativeTime at={data.lastSuccess} />. {t('controlPlaneOld')}
        </>
      )}
      {may(role, 'settings.read') ? (
        <Link href="/settings" className="block w-fit">
          {t('openSettings')}
        </Link>
      ) : null}
    </Notice>
  )
}
