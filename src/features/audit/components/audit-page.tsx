'use client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import { STREAM_TOPICS } from '#domain/event/stream-topics.ts'
import { SavedViews } from '#features/views/index.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useFilters, useUrlValue } from '#lib/url-state.ts'
import { useInfiniteRows } from '#lib/use-infinite-rows.ts'
import { Button } from '#ui/button.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { ExportList } from '#ui/export-list.tsx'
import { FilterBar, type FilterSpec } from '#ui/filter-bar.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { SplitPane } from '#ui/split-pane.tsx'
import { ExactTime } from '#ui/time.tsx'
import { useAuditColumns } from '../columns.tsx'
import { AUDIT_FILTERS, auditInput } from '../input.ts'
import { EventDetail } from './event-detail.tsx'
import { VerificationPanel, VerifyButton } from './verification-panel.tsx'

const GROUPS = [
  'proposal',
  'run',
  'question',
  'job',
  'inbox',
  'artifact',
  'agent',
  'zone',
  'key',
  'auth',
  'device',
  'access',
  'audit',
  'health',
  'incident',
] as const

/** The audit: a time line with filters, the state of the chain, and verification on demand. */
export function AuditPage() {
  const t = useTranslations('audit')
  const trpc = useTRPC()
  const filters = useFilters(AUDIT_FILTERS)
  const [open, setOpen] = useUrlValue('id', '')
  const list = useInfiniteQuery(
    trpc.audit.list.infiniteQueryOptions(auditInput(filters.values), {
      ...CURSOR_PAGES,
      // The stream has no event for a sign-in, a device or a refusal.
      refetchInterval: POLL_MS.slow,
    }),
  )
  useLiveQueries(STREAM_TOPICS, trpc.audit.list.pathFilter(), POLL_MS.slow)
  const shown = useInfiniteRows(list)
  const columns = useAuditColumns(open !== '')
  const chain = list.data?.pages[0]?.chain
  return (
    <SplitPane
      detailLabel={t('detail')}
      listHref="/audit"
      detail={open ? <EventDetail id={open} close={() => setOpen('')} /> : null}
      list={
        <>
          <PageHeader
            title={t('title')}
            sentence={
              chain ? t('sentence', { sealed: chain.sealed, waiting: chain.waiting }) : t('loadingSentence')
            }
            action={<VerifyButton />}
          />
          <VerificationPanel />
          <FilterBar filters={filters} specs={useSpecs()}>
            <SavedViews list="audit" filters={filters} />
            <ExportList list="audit/events" filter={auditInput(filters.values)} />
          </FilterBar>
          <DataTable
            label={t('title')}
            columns={columns}
            {...shown}
            rowId={(e) => e.event_id}
            rowName={(e) => e.event}
            href={(e) => `/audit?${new URLSearchParams({ ...given(filters.values), id: e.event_id })}`}
            openId={open || null}
            beside
            scope={filters.scope}
            filtered={filters.active}
            onClearFilters={filters.clear}
            empty={<EmptyState title={t('empty')}>{t('emptyHint')}</EmptyState>}
          />
          <SearchedTo
            to={list.data?.pages.at(-1)?.searched_to ?? null}
            found={shown.rows?.length ?? 0}
            {...shown.more}
          />
        </>
      }
    />
  )
}

type SearchedProps = { to: string | null; found: number; loading: boolean; load: () => void }

/** How far back a search by text has come. Where it found something, the list itself offers to go on. */
function SearchedTo({ to, found, loading, load }: SearchedProps) {
  const t = useTranslations('audit')
  if (to === null) return null
  return (
    <div role="status" className="flex flex-wrap items-center justify-center gap-3 py-4 text-sm text-ink-2">
      <span>
        {t('searchedTo')} <ExactTime at={to} />. {t('notSearched')}
      </span>
      {found === 0 ? (
        <Button size="sm" busy={loading} onClick={load}>
          {t('searchOlder')}
        </Button>
      ) : null}
    </div>
  )
}

const given = (values: Readonly<Record<string, string | null>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter((e): e is [string, string] => Boolean(e[1])))

function useSpecs(): FilterSpec[] {
  const t = useTranslations('audit')
  const all = { value: '', label: t('anyOutcome') }
  return [
    {
      kind: 'select',
      key: 'event',
      label: t('group'),
      options: [
        { value: '', label: t('anyGroup') },
        ...GROUPS.map((g) => ({ value: g, label: t(`groups.${g}`) })),
      ],
    },
    {
      kind: 'segmented',
      key: 'outcome',
      label: t('outcome'),
      options: [
        all,
        ...(['ok', 'refused', 'error'] as const).map((o) => ({ value: o, label: t(`outcomes.${o}`) })),
      ],
    },
    { kind: 'search', key: 'q', label: t('text') },
    { kind: 'text', key: 'actor', label: t('actor') },
    { kind: 'text', key: 'resource_id', label: t('resource') },
    { kind: 'date', key: 'from', label: t('from') },
    { kind: 'date', key: 'to', label: t('to') },
  ]
}
