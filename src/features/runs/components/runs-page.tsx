'use client'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { may } from '#domain/authority/matrix.ts'
import { SavedViews } from '#features/views/index.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useSession } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useFilters } from '#lib/url-state.ts'
import { useInfiniteRows } from '#lib/use-infinite-rows.ts'
import { buttonClass } from '#ui/button-class.ts'
import { DataTable } from '#ui/data-table.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { ExportList } from '#ui/export-list.tsx'
import { FilterBar } from '#ui/filter-bar.tsx'
import { Link } from '#ui/link.tsx'
import { Page } from '#ui/page.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { useRunColumns } from '../columns.tsx'
import { RUN_FILTERS, runsInput, TRIGGERS } from '../input.ts'
import { RunSelection } from './run-selection.tsx'

const SHOWN = ['running', 'completed', 'failed', 'queued', 'cancelled'] as const

/** The Runs page: every execution of an agent, newest first. */
export function RunsPage() {
  const t = useTranslations('runs')
  const trpc = useTRPC()
  const filters = useFilters(RUN_FILTERS)
  const list = useInfiniteQuery(trpc.runs.list.infiniteQueryOptions(runsInput(filters.values), CURSOR_PAGES))
  const counts = useQuery(trpc.system.counts.queryOptions())
  useLiveQueries(['run.status.changed', 'run.step.completed'], trpc.runs.list.pathFilter(), POLL_MS.moving)
  const shown = useInfiniteRows(list)
  const columns = useRunColumns(shown.rows)
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const run = may(useSession().role, 'run.request') ? (
    <Link href="/agents" className={buttonClass('primary')}>
      {t('runAgent')}
    </Link>
  ) : null
  return (
    <Page wide>
      <PageHeader
        title={t('title')}
        sentence={counts.data ? t('sentence', { running: counts.data.runs_running }) : undefined}
        action={run}
      />
      <FilterBar
        filters={filters}
        specs={[
          {
            kind: 'segmented',
            key: 'status',
            label: t('status'),
            options: [
              { value: '', label: t('all') },
              ...SHOWN.map((s) => ({ value: s, label: t(`state.${s}`) })),
            ],
          },
          {
            kind: 'select',
            key: 'trigger',
            label: t('trigger'),
            options: [
              { value: '', label: t('anyTrigger') },
              ...TRIGGERS.map((trigger) => ({ value: trigger, label: t(`triggers.${trigger}`) })),
            ],
          },
          { kind: 'search', key: 'q', label: t('search') },
        ]}
      >
        <SavedViews list="runs" filters={filters} />
        <ExportList list="runs" filter={runsInput(filters.values)} />
      </FilterBar>
      <RunSelection ids={ids} rows={shown.rows ?? []} />
      <DataTable
        label={t('title')}
        columns={columns}
        {...shown}
        rowId={(r) => r.run_id}
        rowName={(r) => r.title || r.run_id}
        href={(r) => `/runs/${r.run_id}`}
        scope={filters.scope}
        filtered={filters.active}
        onClearFilters={filters.clear}
        selection={{ ids, onChange: setIds }}
        empty={
          <EmptyState title={t('empty')} action={run}>
            {t('emptyHint')}
          </EmptyState>
        }
      />
    </Page>
  )
}
