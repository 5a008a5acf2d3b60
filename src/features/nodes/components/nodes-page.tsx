'use client'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { NodeSummary } from '#contracts/node.contract.ts'
import { may } from '#domain/authority/matrix.ts'
import { NODE_STATES } from '#domain/membridge/liveness.rules.ts'
import { SavedViews } from '#features/views/index.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useSession } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useFilters } from '#lib/url-state.ts'
import { useInfiniteRows } from '#lib/use-infinite-rows.ts'
import { DataTable } from '#ui/data-table.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { FilterBar, type FilterSpec } from '#ui/filter-bar.tsx'
import { Page } from '#ui/page.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { useNodeColumns } from '../columns.tsx'
import { NODE_FILTERS, nodeHref, nodesInput } from '../input.ts'
import { AddNode } from './add-node.tsx'

/**
 * The nodes of all projects. Heartbeats write no events, so what they say is read again every few seconds while the page is in view; what
 * people change comes by the stream.
 */
export function NodesPage() {
  const t = useTranslations('nodes')
  const trpc = useTRPC()
  const { role } = useSession()
  const summary = useQuery(trpc.nodes.summary.queryOptions(undefined, { refetchInterval: POLL_MS.liveness }))
  useLiveQueries(['key.changed', 'worker.status.changed'], trpc.nodes.pathFilter(), POLL_MS.liveness)
  const counts = summary.data
  // Whoever added a node looks for it: it need not be asked for, as what others added.
  const [added, setAdded] = useState(0)
  const onClosed = () => setAdded((before) => before + 1)
  return (
    <Page wide>
      <PageHeader
        title={t('title')}
        sentence={counts ? <Sentence of={counts} /> : t('loading')}
        action={may(role, 'node.manage') ? <AddNode onClosed={onClosed} /> : undefined}
      />
      {counts && counts.admin_key > 0 ? (
        <p className="-mt-1 max-w-prose pb-4 text-sm text-waiting">
          {t('adminKeyCount', { count: counts.admin_key })}
        </p>
      ) : null}
      <NodeList added={added} />
    </Page>
  )
}

function Sentence({ of: { online, offline, waiting } }: { of: NodeSummary }) {
  return useTranslations('nodes')('sentence', { online, offline, waiting })
}

function NodeList({ added }: { added: number }) {
  const t = useTranslations('nodes')
  const trpc = useTRPC()
  const { role } = useSession()
  const filters = useFilters(NODE_FILTERS)
  const list = useInfiniteQuery(
    trpc.nodes.list.infiniteQueryOptions(nodesInput(filters.values), {
      ...CURSOR_PAGES,
      refetchInterval: POLL_MS.liveness,
    }),
  )
  const hint = may(role, 'node.manage') ? t('emptyHint') : t('emptyHintOperator')
  return (
    <>
      <FilterBar filters={filters} specs={useSpecs()}>
        <SavedViews list="nodes" filters={filters} />
      </FilterBar>
      <DataTable
        label={t('title')}
        columns={useNodeColumns()}
        {...useInfiniteRows(list)}
        rowId={(n) => n.node_id}
        rowName={(n) => n.node_id}
        href={(n) => nodeHref(n.node_id)}
        scope={`${added} ${filters.scope}`}
        filtered={filters.active}
        onClearFilters={filters.clear}
        empty={<EmptyState title={t('empty')}>{hint}</EmptyState>}
      />
    </>
  )
}

function useSpecs(): FilterSpec[] {
  const t = useTranslations('nodes')
  const trpc = useTRPC()
  const projects = useQuery(trpc.nodes.summary.queryOptions()).data?.projects ?? []
  return [
    { kind: 'search', key: 'q', label: t('search') },
    {
      kind: 'select',
      key: 'state',
      label: t('anyState'),
      options: NODE_STATES.map((state) => ({ value: state, label: t(`state.${state}`) })),
    },
    {
      kind: 'select',
      key: 'project',
      label: t('project'),
      options: projects.map(({ canonical_id: value, name: label }) => ({ value, label })),
    },
  ]
}
