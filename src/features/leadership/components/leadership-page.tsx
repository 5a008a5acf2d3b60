'use client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { LeadershipSummary } from '#contracts/leadership-console.contract.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useInfiniteRows } from '#lib/use-infinite-rows.ts'
import { DataTable } from '#ui/data-table.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { Page } from '#ui/page.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { useLeadershipColumns } from '../columns.tsx'

/** What the stream announces of leadership, and of the nodes that it is about. */
export const LEADERSHIP_TOPICS = ['leadership.changed', 'worker.status.changed'] as const

/** The projects: who is primary, for how long, and what was pushed last. */
export function LeadershipPage() {
  const t = useTranslations('leadership')
  const trpc = useTRPC()
  const list = useInfiniteQuery(
    trpc.leadership.list.infiniteQueryOptions({}, { ...CURSOR_PAGES, refetchInterval: POLL_MS.slow }),
  )
  useLiveQueries(LEADERSHIP_TOPICS, trpc.leadership.list.pathFilter(), POLL_MS.slow)
  const shown = useInfiniteRows(list)
  return (
    <Page>
      <PageHeader
        title={t('title')}
        sentence={
          // Of rows that are not loaded nothing is known, so no total is given.
          shown.rows && shown.rows.length > 0 && !shown.more?.has
            ? t('sentence', {
                projects: shown.rows.length,
                attention: shown.rows.filter(needsAttention).length,
              })
            : t('loading')
        }
      />
      <DataTable
        label={t('title')}
        columns={useLeadershipColumns()}
        {...shown}
        rowId={(row) => row.canonical_id}
        rowName={(row) => row.name}
        href={(row) => `/leadership/${encodeURIComponent(row.canonical_id)}`}
        scope="leadership"
        empty={<EmptyState title={t('empty')}>{t('emptyHint')}</EmptyState>}
      />
    </Page>
  )
}

const needsAttention = ({ lease_state, needs_ui_selection }: LeadershipSummary): boolean =>
  lease_state === 'unreadable' || needs_ui_selection
