'use client'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type ComponentType, useMemo, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ProposalCounts, ProposalItem } from '#contracts/proposal.contract.ts'
import type { AlikeGroups as Alike } from '#contracts/proposal-batch.contract.ts'
import { may } from '#domain/authority/matrix.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { RuleOffer, useRuleOffer } from '#features/approval-rules/index.ts'
import { SavedViews } from '#features/views/index.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useSession } from '#lib/session.tsx'
import { showUrl, useShownPath } from '#lib/shown-path.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { type Filters, useFilters, useUrlValue } from '#lib/url-state.ts'
import { useDepartures } from '#lib/use-departures.ts'
import { useInfiniteRows } from '#lib/use-infinite-rows.ts'
import { DataTable } from '#ui/data-table.tsx'
import { toggled } from '#ui/data-table-row.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { ExportList } from '#ui/export-list.tsx'
import { FilterBar } from '#ui/filter-bar.tsx'
import { Link } from '#ui/link.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { SplitPane } from '#ui/split-pane.tsx'
import { useSelection } from '#ui/use-selection.ts'
import { useProposalColumns } from '../columns.tsx'
import { useAlike } from '../hooks/use-alike.ts'
import { useApproved } from '../hooks/use-approved.ts'
import { useBatch } from '../hooks/use-batch.tsx'
import { neighboursOf } from '../hooks/use-neighbours.ts'
import { useParticulars } from '../hooks/use-particulars.ts'
import { useStableOrder } from '../hooks/use-stable-order.ts'
import { PROPOSAL_FILTERS, proposalsInput, statesOf, type Tab, tabOf } from '../input.ts'
import { AlikeGroup } from './alike-group.tsx'
import { AlikeGroups } from './alike-groups.tsx'
import { BatchBar } from './batch-bar.tsx'
import { CardBar } from './card-bar.tsx'
import { CaughtUp } from './caught-up.tsx'
import type { ReviewDeckProps } from './review-deck.tsx'
import { ReviewOnDemand } from './review-on-demand.tsx'
import { SittingLine } from './sitting-line.tsx'

const HELD = proposalMachine.events.approve.to

type Props = {
  /** Shows the open proposal. */
  Deck?: ComponentType<ReviewDeckProps>
}

/** The Proposals page: the list left, one under review right. Deciding leads on to the next. */
export function ProposalsPage({ Deck = ReviewOnDemand }: Props) {
  const openId = useShownPath().split('/')[2] ?? null
  const t = useTranslations('proposals')
  const trpc = useTRPC()
  const filters = useFilters(PROPOSAL_FILTERS)
  const decides = may(useSession().role, 'proposal.decide')
  const tab = tabOf(filters.values.tab)
  const list = useInfiniteQuery(
    trpc.proposals.list.infiniteQueryOptions(proposalsInput(filters.values), CURSOR_PAGES),
  )
  const counts = useQuery(trpc.proposals.counts.queryOptions())
  useLiveQueries(
    ['proposal.created', 'proposal.status.changed'],
    trpc.proposals.list.infiniteQueryFilter(),
    POLL_MS.slow,
  )
  useLiveQueries(
    ['proposal.created', 'proposal.status.changed'],
    trpc.proposals.counts.pathFilter(),
    POLL_MS.slow,
  )
  const shown = useInfiniteRows(list)
  const ids = useMemo(() => shown.rows?.map((p) => p.proposal_id) ?? [], [shown.rows])
  const narrowed = Boolean(filters.values.q || filters.values.agent)
  const offer = useRuleOffer()
  const { departed, decided: depart } = useDecided({ tab, ids, scope: filters.scope })
  const decided = (p: ProposalItem) => {
    depart(p)
    offer.saw(p)
  }
  const { open, position, onShown } = useStableOrder({
    openId,
    ids,
    scope: filters.scope,
    more: shown.more,
    waiting: tab === 'decide' && !narrowed ? (counts.data?.waiting ?? null) : null,
  })
  const columns = useProposalColumns(tab)
  const search = addressOf(filters)
  const [groupKey] = useUrlValue('alike', '')
  const alike = useAlike().data
  const selection = useSelection(filters.scope)
  const decidedHere = (p: ProposalItem) => {
    decided(p)
    if (selection.ids.has(p.proposal_id)) selection.onChange(toggled(selection.ids, p.proposal_id, false))
  }
  const moveOn = (gone: ReadonlySet<string>) => {
    if (!openId || !gone.has(openId)) return
    const { next, previous } = neighboursOf(openId, open, (id) => !gone.has(id))
    const id = next ?? previous
    showUrl(id ? `/proposals/${id}${search}` : `/proposals${search}`, true)
  }
  const batch = useBatch({ rows: shown.rows ?? [], decided, moveOn })
  const selects = tab === 'decide' && decides
  const detail = openId ? (
    <Deck
      openId={openId}
      readsAhead={selects}
      ids={open}
      search={search}
      position={position}
      decided={decidedHere}
    />
  ) : groupKey ? (
    <AlikeGroup key={groupKey} groupKey={groupKey} batch={batch} listHref={`/proposals${search}`} />
  ) : null
  // The list says then that nothing is left to review; once is enough.
  const ended = tab === 'decide' && !narrowed && shown.rows?.length === 0
  return (
    <SplitPane
      detailLabel={t('proposal')}
      listHref={`/proposals${search}`}
      detail={detail}
      detailKey={openId ?? groupKey}
      bar={openId ? <CardBar id={openId} ids={open} search={search} position={position} /> : null}
      list={
        <>
          <PageHeader
            title={t('title')}
            sentence={
              counts.data && !ended ? (
                <Sentence counts={counts.data} alike={alike?.alike} decides={decides} />
              ) : (
                t(decides ? 'loading' : 'loadingViewer')
              )
            }
          />
          <FilterBar
            filters={filters}
            specs={[
              {
                kind: 'segmented',
                key: 'tab',
                label: t('tabs'),
                options: [
                  { value: '', label: t('tabPending') },
                  { value: 'snoozed', label: t('tabSnoozed') },
                  { value: 'changes', label: t('tabChanges') },
                  { value: 'working', label: t('tabApplying') },
                  { value: 'failed', label: t('tabFailed') },
                  { value: 'history', label: t('tabHistory') },
                  { value: 'archived', label: t('tabArchived') },
                ],
              },
              { kind: 'search', key: 'q', label: t('search') },
            ]}
          >
            <SavedViews list="proposals" filters={filters} />
            <ExportList list="proposals" filter={proposalsInput(filters.values)} />
          </FilterBar>
          <RuleOffer alike={offer.alike} onDismiss={offer.dismiss} />
          {counts.data?.failed && tab !== 'failed' ? <FailedHint count={counts.data.failed} /> : null}
          {tab === 'decide' && !narrowed ? (
            <AlikeGroups
              groups={alike?.groups ?? []}
              openKey={openId ? '' : groupKey}
              hrefOf={(key) => `/proposals?${new URLSearchParams({ alike: key })}`}
            />
          ) : null}
          {selects ? <BatchBar selection={selection} ids={ids} batch={batch} /> : null}
          {batch.dialogs}
          {tab === 'decide' && !openId && !ended ? <SittingLine /> : null}
          <DataTable
            label={t('title')}
            columns={columns}
            {...shown}
            departed={departed}
            rowId={(p) => p.proposal_id}
            rowName={(p) => p.summary}
            href={(p) => `/proposals/${p.proposal_id}${search}`}
            openId={openId}
            beside
            scope={filters.scope}
            onShown={onShown}
            filtered={narrowed}
            onClearFilters={filters.clear}
            {...(selects ? { selection } : {})}
            empty={<Empty tab={tab} decides={decides} />}
          />
        </>
      }
    />
  )
}

type Moved = { scope: string; rows: readonly ProposalItem[] }

/** What became of the proposals that left the list: by decisions here, by events, and by what is still held. */
function useDecided({ tab, ids, scope }: { tab: Tab; ids: readonly string[]; scope: string }) {
  const wanted = statesOf(tab)
  const particulars = useParticulars()
  const list = { wanted, ids, scope, particulars }
  const { departed, depart } = useDepartures<ProposalItem>('proposal.status.changed', list)
  const approved = useApproved()
  const [moved, setMoved] = useState<Moved>({ scope, rows: [] })
  const known = useMemo(() => {
    const held = wanted.includes(HELD) ? [] : approved
    const snoozed = moved.scope === scope ? moved.rows : []
    const entry = (p: ProposalItem) => [p.proposal_id, p] as const
    return new Map<string, Partial<ProposalItem>>([...snoozed.map(entry), ...departed, ...held.map(entry)])
  }, [approved, departed, moved, scope, wanted])
  const decided = (p: ProposalItem) => {
    depart(new Map([[p.proposal_id, p]]))
    // Snoozing moves between two lists of one state.
    if (wanted.includes(p.status))
      setMoved((was) => ({ scope, rows: was.scope === scope ? [...was.rows, p] : [p] }))
  }
  return { departed: known, decided }
}

function addressOf(filters: Filters): string {
  const given = Object.entries(filters.values).filter((e): e is [string, string] => Boolean(e[1]))
  return given.length > 0 ? `?${new URLSearchParams(given)}` : ''
}

type SentenceProps = { counts: ProposalCounts; alike: Alike['alike'] | undefined; decides: boolean }

function Sentence({ counts, alike = { count: 0, exact: true }, decides }: SentenceProps) {
  const t = useTranslations('proposals')
  const mark = ({ exact }: { exact: boolean }) => (exact ? '' : '≥ ')
  return t('sentence', {
    queue: t(decides ? 'toReview' : 'pending', { count: counts.waiting }),
    expiring: counts.expiring_today,
    conflicts: counts.in_conflict.count,
    atLeast: mark(counts.in_conflict),
    alike: alike.count,
    alikeAtLeast: mark(alike),
    snoozed: counts.snoozed,
  })
}

/** What failed needs a person before anything that is new. */
function FailedHint({ count }: { count: number }) {
  const t = useTranslations('proposals')
  return (
    <p
      role="status"
      className="mb-3 flex flex-wrap items-center gap-3 rounded bg-failed-soft px-3 py-2 text-failed"
    >
      <span className="min-w-0 flex-1">{t('failedCount', { count })}</span>
      <Link href="/proposals?tab=failed">{t('failedAll')}</Link>
    </p>
  )
}

function Empty({ tab, decides }: { tab: Tab; decides: boolean }) {
  const t = useTranslations('proposals')
  if (tab === 'snoozed') return <EmptyState title={t('empty')}>{t('emptySnoozed')}</EmptyState>
  if (tab === 'changes') return <EmptyState title={t('empty')}>{t('emptyChanges')}</EmptyState>
  if (tab === 'archived') return <EmptyState title={t('empty')}>{t('emptyArchived')}</EmptyState>
  if (tab !== 'decide' || !decides) return <EmptyState title={t('empty')}>{t('emptyHint')}</EmptyState>
  return <CaughtUp />
}
