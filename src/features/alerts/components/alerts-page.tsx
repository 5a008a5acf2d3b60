'use client'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { AlertView } from '#contracts/alert.contract.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useInfiniteRows } from '#lib/use-infinite-rows.ts'
import { DataTable } from '#ui/data-table.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { ExportList } from '#ui/export-list.tsx'
import { Page } from '#ui/page.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { Section } from '#ui/section.tsx'
import { useAlertColumns } from '../columns.tsx'
import { CLOSED, STANDING } from '../input.ts'
import { byUrgency } from '../status.ts'

/** The alerts: what stands, most urgent first, and below it what has closed. */
export function AlertsPage() {
  const t = useTranslations('alerts')
  const trpc = useTRPC()
  const standing = useQuery(trpc.alerts.list.queryOptions(STANDING, { refetchInterval: POLL_MS.slow }))
  useLiveQueries(['incident.changed'], trpc.alerts.pathFilter(), POLL_MS.slow)
  const rows = useMemo(() => standing.data?.items.toSorted(byUrgency), [standing.data])
  return (
    <Page>
      <PageHeader title={t('title')} sentence={rows ? <Sentence rows={rows} /> : t('loading')} />
      <DataTable
        label={t('standing')}
        columns={useAlertColumns(false)}
        rows={rows}
        rowId={(a) => a.alert_id}
        rowName={(a) => t(`rules.${a.rule}`)}
        href={(a) => `/alerts/${a.alert_id}`}
        scope={`standing ${standing.dataUpdatedAt}`}
        error={standing.error}
        onRetry={() => standing.refetch()}
        empty={<EmptyState title={t('empty')}>{t('emptyHint')}</EmptyState>}
      />
      <History />
    </Page>
  )
}

function Sentence({ rows }: { rows: readonly AlertView[] }) {
  const t = useTranslations('alerts')
  const open = rows.filter((a) => a.status === 'open').length
  return t('sentence', { open, acknowledged: rows.length - open })
}

function History() {
  const t = useTranslations('alerts')
  const trpc = useTRPC()
  const list = useInfiniteQuery(trpc.alerts.list.infiniteQueryOptions(CLOSED, CURSOR_PAGES))
  const shown = useInfiniteRows(list)
  const columns = useAlertColumns(true)
  if (shown.rows?.length === 0) return null
  return (
    <Section title={t('history')} actions={<ExportList list="alerts" filter={CLOSED} />}>
      <DataTable
        label={t('history')}
        columns={columns}
        {...shown}
        rowId={(a) => a.alert_id}
        rowName={(a) => t(`rules.${a.rule}`)}
        href={(a) => `/alerts/${a.alert_id}`}
        scope="closed"
        keyboard={false}
        empty={null}
      />
    </Section>
  )
}
