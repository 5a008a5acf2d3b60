'use client'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ArtifactRow, ArtifactStats } from '#contracts/artifact.contract.ts'
import { may } from '#domain/authority/matrix.ts'
import { SavedViews } from '#features/views/index.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useSession } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { type Filters, useFilters } from '#lib/url-state.ts'
import { useInfiniteRows } from '#lib/use-infinite-rows.ts'
import { buttonClass } from '#ui/button-class.ts'
import { DataTable } from '#ui/data-table.tsx'
import { columnsOf } from '#ui/data-table-columns.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { ExportList } from '#ui/export-list.tsx'
import { FilterBar, type FilterSpec } from '#ui/filter-bar.tsx'
import { Link } from '#ui/link.tsx'
import { LinkFilters } from '#ui/link-filters.tsx'
import { Page } from '#ui/page.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { RelativeTime } from '#ui/time.tsx'
import { ARTIFACT_FILTERS, artifactsInput, TYPES_IN_ORDER } from '../input.ts'
import { GROUNDING } from '../status.ts'

/** The Artifacts page: immutable documents with their sources. */
export function ArtifactsPage() {
  const t = useTranslations('artifacts')
  const trpc = useTRPC()
  const filters = useFilters(ARTIFACT_FILTERS)
  const list = useInfiniteQuery(
    trpc.artifacts.list.infiniteQueryOptions(artifactsInput(filters.values), CURSOR_PAGES),
  )
  const stats = useQuery(trpc.artifacts.stats.queryOptions())
  useLiveQueries(['artifact.created'], trpc.artifacts.pathFilter(), POLL_MS.slow)
  const shown = useInfiniteRows(list)
  const run = may(useSession().role, 'run.request') ? (
    <Link href="/agents" className={buttonClass('primary')}>
      {t('run')}
    </Link>
  ) : null
  return (
    <Page wide>
      <PageHeader
        title={t('title')}
        sentence={
          stats.data
            ? t('sentence', { total: stats.data.total, atLeast: stats.data.exact ? '' : '≥ ' })
            : t('loading')
        }
      />
      <FilterBar filters={filters} specs={useSpecs(filters, stats.data)}>
        <SavedViews list="artifacts" filters={filters} />
        <ExportList list="artifacts" filter={artifactsInput(filters.values)} />
      </FilterBar>
      <LinkFilters
        filters={filters}
        labels={{ tag: t('tag'), entity: t('entity') }}
        show={(_, value) => value}
      />
      <DataTable
        label={t('title')}
        columns={useArtifactColumns()}
        {...shown}
        rowId={(a) => a.artifact_id}
        rowName={(a) => a.title}
        href={(a) => `/artifacts/${a.artifact_id}`}
        scope={filters.scope}
        filtered={filters.active}
        onClearFilters={filters.clear}
        empty={
          <EmptyState title={t('empty')} action={run}>
            {t('emptyHint')}
          </EmptyState>
        }
      />
    </Page>
  )
}

/** The types and agents that there are, and those that the address names; guests see no agents. */
function useSpecs(filters: Filters, stats: ArtifactStats | undefined): FilterSpec[] {
  const t = useTranslations('artifacts')
  const trpc = useTRPC()
  const { type: chosen, agent } = filters.values
  const guest = useSession().role === 'guest'
  const agents = useQuery({ ...trpc.agents.list.queryOptions({}), enabled: !guest }).data?.items ?? []
  const types = TYPES_IN_ORDER.filter((type) => stats?.by_type[type] || type === chosen)
  const named = agent && !guest ? [agent] : []
  const slugs = [...new Set([...agents.map(({ slug }) => slug), ...named])].sort()
  return [
    { kind: 'search', key: 'q', label: t('search') },
    {
      kind: 'select',
      key: 'type',
      label: t('type'),
      options: types.map((type) => ({ value: type, label: t(`types.${type}`) })),
    },
    ...(slugs.length > 0
      ? [
          {
            kind: 'select' as const,
            key: 'agent',
            label: t('agent'),
            options: slugs.map((slug) => ({ value: slug, label: slug })),
          },
        ]
      : []),
  ]
}

const agentColumn = (header: string) => ({
  id: 'agent',
  header,
  cell: (a: ArtifactRow) => <span className="whitespace-nowrap text-ink-2">{a.agent_slug}</span>,
})

/** Guests see by no agent what was made. */
function useArtifactColumns() {
  const t = useTranslations('artifacts')
  const guest = useSession().role === 'guest'
  return useMemo(
    () =>
      columnsOf<ArtifactRow>([
        {
          id: 'title',
          header: t('name'),
          width: 'w-full max-w-0',
          card: 'title',
          cell: (a) => <span className="block truncate">{a.title}</span>,
        },
        {
          id: 'type',
          header: t('type'),
          cell: (a) => <span className="whitespace-nowrap text-ink-2">{t(`types.${a.type}`)}</span>,
        },
        {
          id: 'grounding',
          header: t('groundingColumn'),
          card: 'corner',
          cell: (a) =>
            a.removed_at ? (
              <StatusBadge tone="held">{t('removedByRetention')}</StatusBadge>
            ) : (
              <StatusBadge {...GROUNDING[a.grounding.status]}>
                {t(`grounding.${a.grounding.status}`)}
              </StatusBadge>
            ),
        },
        {
          id: 'sources',
          header: t('sources'),
          card: 'fact',
          align: 'end',
          cell: (a) => <span className="tabular text-ink-2">{a.source_paths.length}</span>,
        },
        ...(guest ? [] : [agentColumn(t('agent'))]),
        {
          id: 'created',
          header: t('created'),
          align: 'end',
          cell: (a) => <RelativeTime at={a.created_at} className="text-ink-3" />,
        },
      ]),
    [t, guest],
  )
}
