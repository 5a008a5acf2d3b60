'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import { useTRPC } from '#lib/trpc.tsx'
import { buttonClass } from '#ui/button-class.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { Link } from '#ui/link.tsx'
import { SittingLine } from './sitting-line.tsx'

/** Nothing is left to review. That is all only where nothing else waits for the reader; what does stands in the Inbox, and the way leads there. */
export function CaughtUp() {
  const t = useTranslations('proposals')
  const others = useOtherNeeds()
  const [href, act] = others > 0 ? (['/inbox', 'openInbox'] as const) : (['/agents', 'runAgent'] as const)
  return (
    <EmptyState
      title={t(others > 0 ? 'noneToReview' : 'caughtUp')}
      action={
        <Link href={href} className={buttonClass('primary')}>
          {t(act)}
        </Link>
      }
    >
      <SittingLine />
      {others > 0 ? t('othersNeedYou', { count: others }) : t('caughtUpHint')}
    </EmptyState>
  )
}

/** What needs the reader and is no proposal to review, as the navigation counts it and keeps it live. */
function useOtherNeeds(): number {
  const { data } = useQuery(useTRPC().system.counts.queryOptions())
  return data ? Math.max(0, data.needs - data.proposals_waiting) : 0
}
