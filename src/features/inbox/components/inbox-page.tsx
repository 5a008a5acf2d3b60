'use client'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { InboxEntryView } from '#contracts/inbox.contract.ts'
import type { NeedsAnswer } from '#contracts/needs.contract.ts'
import { may } from '#domain/authority/matrix.ts'
import { SavedViews } from '#features/views/index.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { shownHealth } from '#lib/health.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useSession } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useFilters } from '#lib/url-state.ts'
import { useCodeText } from '#lib/use-fault-text.ts'
import { useInfiniteRows } from '#lib/use-infinite-rows.ts'
import { CodedErrorLine } from '#ui/coded-error.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { columnsOf } from '#ui/data-table-columns.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { ExportList } from '#ui/export-list.tsx'
import { FilterBar } from '#ui/filter-bar.tsx'
import { Link } from '#ui/link.tsx'
import { Page } from '#ui/page.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { Section } from '#ui/section.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { RelativeTime } from '#ui/time.tsx'
import { INBOX_FILTERS, inboxInput, resolutionHref } from '../input.ts'
import { STATUS_STYLES } from '../status.ts'
import { useActionLabel } from '../use-action-label.ts'
import { useEntryTitle } from '../use-entry-title.ts'
import { DayStrip } from './day-strip.tsx'
import { ProposeNote } from './propose-note.tsx'

const TOPICS = [
  'inbox.new',
  'inbox.status.changed',
  'proposal.created',
  'proposal.status.changed',
  'health.changed',
]

/** The Inbox: what needs the reader first, which the page brings along, then every received entry with its result. */
export function InboxPage({ needs: listOfNeeds }: { needs: ReactNode }) {
  const t = useTranslations('inbox')
  const trpc = useTRPC()
  const waiting = useQuery(trpc.proposals.counts.queryOptions())
  // What ended today is counted seconds behind the events: read on one, it would lack what it tells of.
  const stats = useQuery(trpc.inbox.stats.queryOptions(undefined, { refetchInterval: POLL_MS.slow }))
  const health = useQuery(trpc.system.health.queryOptions())
  useLiveQueries(TOPICS, trpc.inbox.list.pathFilter(), POLL_MS.slow)
  // The list beside this sentence keeps it live.
  const needs = useQuery(trpc.needs.list.queryOptions()).data
  useLiveQueries(['health.changed'], trpc.system.health.pathFilter(), POLL_MS.slow)
  useLiveQueries(
    ['proposal.created', 'proposal.status.changed'],
    trpc.proposals.counts.pathFilter(),
    POLL_MS.slow,
  )
  const counts = waiting.data
  const decides = may(useSession().role, 'proposal.decide')
  const others = needs ? besideProposals(needs) : 0
  return (
    <Page>
      <PageHeader
        title={t('title')}
        sentence={
          counts && needs && health.data
            ? t('sentence', {
                queue: t(queueOf(counts.waiting, others, decides), { count: counts.waiting }),
                others,
                decides: String(decides),
                expiring: counts.expiring_today,
                conflicts: counts.in_conflict.count,
                health: shownHealth(health.data),
              })
            : t('loading')
        }
        action={<ProposeNote />}
      />
      {listOfNeeds}
      <Section title={t('entries')} hint={stats.data ? t('today', today(stats.data)) : undefined}>
        <DayStrip />
        <Entries />
      </Section>
    </Page>
  )
}

/** What waits for the reader and is no proposal to review. */
const besideProposals = ({ items, count, more_proposals }: NeedsAnswer): number =>
  count - more_proposals - items.filter(({ kind }) => kind === 'proposal').length

/** All is done only where nothing else waits either. */
function queueOf(waiting: number, others: number, decides: boolean) {
  if (!decides) return 'pending'
  return waiting === 0 && others > 0 ? 'noneToReview' : 'toReview'
}

const today = (s: { processed_today: number; rejected_today: number; expired_today: number }) => ({
  processed: s.processed_today,
  rejected: s.rejected_today,
  expired: s.expired_today,
})

function Entries() {
  const t = useTranslations('inbox')
  const trpc = useTRPC()
  const filters = useFilters(INBOX_FILTERS)
  const list = useInfiniteQuery(
    trpc.inbox.list.infiniteQueryOptions(inboxInput(filters.values), CURSOR_PAGES),
  )
  const shown = useInfiniteRows(list)
  const columns = useEntryColumns()
  const titleOf = useEntryTitle()
  const states = ['pending', 'processed', 'rejected', 'expired'] as const
  return (
    <>
      <FilterBar
        filters={filters}
        specs={[
          {
            kind: 'segmented',
            key: 'status',
            label: t('status'),
            options: [
              { value: '', label: t('allStates') },
              ...states.map((s) => ({ value: s, label: t(`state.${s}`) })),
            ],
          },
          { kind: 'search', key: 'q', label: t('search') },
          { kind: 'date', key: 'from', label: t('from') },
          { kind: 'date', key: 'to', label: t('to') },
        ]}
      >
        <SavedViews list="inbox" filters={filters} />
        <ExportList list="inbox/entries" filter={inboxInput(filters.values)} />
      </FilterBar>
      <DataTable
        label={t('entries')}
        columns={columns}
        {...shown}
        rowId={(e) => e.inbox_id}
        rowName={titleOf}
        href={(e) => `/inbox/${e.inbox_id}`}
        scope={filters.scope}
        filtered={filters.active}
        onClearFilters={filters.clear}
        empty={<EmptyState title={t('empty')}>{t('emptyHint')}</EmptyState>}
      />
    </>
  )
}

function useEntryColumns() {
  const t = useTranslations('inbox')
  return useMemo(
    () =>
      columnsOf<InboxEntryView>([
        {
          id: 'what',
          header: t('action'),
          width: 'w-full max-w-0',
          card: 'title',
          cell: (e) => <What entry={e} />,
        },
        {
          id: 'status',
          header: t('status'),
          card: 'corner',
          cell: (e) => <StatusBadge {...STATUS_STYLES[e.status]}>{t(`state.${e.status}`)}</StatusBadge>,
        },
        {
          id: 'source',
          header: t('source'),
          cell: (e) => <span className="whitespace-nowrap text-ink-2">{e.source.identity}</span>,
        },
        { id: 'outcome', header: t('outcome'), cell: (e) => <Outcome entry={e} /> },
        {
          id: 'received',
          header: t('received'),
          align: 'end',
          cell: (e) => <RelativeTime at={e.received_at} className="text-ink-3" />,
        },
      ]),
    [t],
  )
}

function What({ entry: e }: { entry: InboxEntryView }) {
  const actionLabel = useActionLabel()
  const titleOf = useEntryTitle()
  return (
    <span className="block min-w-0">
      <span className="block truncate">{titleOf(e)}</span>
      <span className="block truncate text-sm text-ink-3">
        {actionLabel(e.intent.action)}{' '}
        {e.summary ? <span className="font-mono">{e.intent.target}</span> : null}
      </span>
    </span>
  )
}

function Outcome({ entry: e }: { entry: InboxEntryView }) {
  const t = useTranslations('inbox')
  const codeText = useCodeText()
  if (e.reason)
    return (
      <CodedErrorLine
        sentence={codeText(e.reason.code)}
        {...e.reason}
        className="block max-w-64 truncate text-sm text-failed"
      />
    )
  if (!e.resolution) return null
  return (
    <Link href={resolutionHref(e.resolution)} className="whitespace-nowrap">
      {t(`kinds.${e.resolution.kind}`)}
    </Link>
  )
}
