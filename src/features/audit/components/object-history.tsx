'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import { useTRPC } from '#lib/trpc.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { Link } from '#ui/link.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { RelativeTime } from '#ui/time.tsx'
import { useTransitionLabel } from '../use-state-label.ts'

/** Who did what to an object and when, oldest first; each line leads to its event. Re-read with the object by its page. */
export function ObjectHistory({ type, id }: { type: string; id: string }) {
  const t = useTranslations('audit')
  const trpc = useTRPC()
  const transition = useTransitionLabel()
  const history = useQuery(
    trpc.audit.history.queryOptions({ resource_type: type, resource_id: id }, { refetchOnMount: 'always' }),
  )
  if (history.error) return <ErrorState error={history.error} onRetry={() => history.refetch()} />
  if (!history.data) return <Skeleton lines={4} label={t('history')} />
  if (history.data.items.length === 0) return <p className="text-ink-3">{t('historyEmpty')}</p>
  return (
    <ol aria-label={t('history')} className="space-y-1.5">
      {history.data.items.map((e) => (
        <li key={e.event_id} className="grid grid-cols-[7rem_minmax(0,1fr)] gap-x-4 text-sm">
          <RelativeTime at={e.ts} className="tabular text-ink-3" />
          <span className="min-w-0 [overflow-wrap:anywhere]">
            <Link quiet href={`/audit?id=${e.event_id}`} className="font-mono">
              {e.event}
            </Link>
            {e.to ? (
              <span className="ml-2 text-ink-2">{transition({ from: e.from, to: e.to, type })}</span>
            ) : null}
            <span className="ml-2 text-ink-3">{e.actor}</span>
            {e.reason ? <span className="ml-2 text-ink-2">“{e.reason}”</span> : null}
          </span>
        </li>
      ))}
    </ol>
  )
}
