'use client'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { JobAction, JobBulkResult, JobCounts, JobRow } from '#contracts/job.contract.ts'
import { may } from '#domain/authority/matrix.ts'
import { FAILURE_KIND_OF, JOB_ERROR_CODES, JOB_TYPES } from '#domain/job/job.rules.ts'
import { SavedViews } from '#features/views/index.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useSession } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { type Filters, useFilters, useUrlValue } from '#lib/url-state.ts'
import { useDepartures } from '#lib/use-departures.ts'
import { useInfiniteRows } from '#lib/use-infinite-rows.ts'
import { buttonClass } from '#ui/button-class.ts'
import { DataTable } from '#ui/data-table.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { ExportList } from '#ui/export-list.tsx'
import { FilterBar, type FilterSpec } from '#ui/filter-bar.tsx'
import { Link } from '#ui/link.tsx'
import { Page } from '#ui/page.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { Tabs } from '#ui/tabs.tsx'
import { useSelection } from '#ui/use-selection.ts'
import { useJobColumns } from '../columns.tsx'
import { CANCELLED, JOB_FILTERS, jobsInput } from '../input.ts'
import { BulkActions } from './bulk-actions.tsx'
import { Failures } from './failures.tsx'
import { JobLinkFilters } from './job-link-filters.tsx'
import { JobStates } from './job-timeline.tsx'
import { RequestJob } from './request-job.tsx'

const Activity = lazy(() => import('./activity.tsx').then((m) => ({ default: m.Activity })))

const MOVES = ['job.status.changed']

/** The Jobs page: the nine states with their counts, the list, the failures grouped by what went wrong, and how the queue went. */
export function JobsPage() {
  const t = useTranslations('jobs')
  const trpc = useTRPC()
  const [tab, setTab] = useUrlValue('tab', 'list')
  const { role } = useSession()
  const [status] = useUrlValue('status', '')
  const counts = useQuery(trpc.jobs.counts.queryOptions())
  const rates = useQuery(trpc.jobs.rates.queryOptions(undefined, { refetchInterval: POLL_MS.idle }))
  // The rates leave out the minute that is not over: no event changes them.
  useLiveQueries(MOVES, trpc.jobs.list.pathFilter(), POLL_MS.live)
  useLiveQueries(MOVES, trpc.jobs.counts.pathFilter(), POLL_MS.live)
  useLiveQueries(MOVES, trpc.jobs.failures.pathFilter(), POLL_MS.live)
  return (
    <Page wide>
      <PageHeader
        title={t('title')}
        sentence={counts.data ? <Sentence counts={counts.data} /> : t('loading')}
        action={may(role, 'job.submit') ? <OwnerActions /> : undefined}
      />
      <JobStates counts={counts.data} rates={rates.data} shown={tab === 'list' ? status : undefined} />
      <Tabs
        label={t('title')}
        value={tab}
        onChange={setTab}
        tabs={[
          { id: 'list', label: t('tabList') },
          { id: 'failures', label: t('tabFailures') },
          { id: 'activity', label: t('tabActivity') },
        ]}
      >
        {tab === 'list' ? <JobList counts={counts.data} /> : null}
        {tab === 'failures' ? <Failures /> : null}
        {tab === 'activity' ? (
          <Suspense fallback={<Skeleton lines={8} label={t('tabActivity')} />}>
            <Activity />
          </Suspense>
        ) : null}
      </Tabs>
    </Page>
  )
}

/** What the owner alone may start. */
function OwnerActions() {
  const t = useTranslations('jobs')
  return (
    <>
      <Link href="/agents" className={buttonClass('secondary')}>
        {t('runAgent')}
      </Link>
      <RequestJob />
    </>
  )
}

function Sentence({ counts }: { counts: JobCounts }) {
  const t = useTranslations('jobs')
  const n = (...states: (keyof JobCounts['by_status'])[]) =>
    states.reduce((sum, s) => sum + (counts.by_status[s]?.count ?? 0), 0)
  return t('sentence', {
    active: n('CONTEXT_ASSEMBLY', 'NOTEBOOKLM_CALL', 'ARTIFACT_WRITE'),
    waiting: n('PENDING', 'QUEUED', 'RETRY_BACKOFF'),
    dead: n('DEAD'),
  })
}

function JobList({ counts }: { counts: JobCounts | undefined }) {
  const t = useTranslations('jobs')
  const trpc = useTRPC()
  const filters = useFilters(JOB_FILTERS)
  const selection = useSelection(filters.scope)
  const input = jobsInput(filters.values)
  const list = useInfiniteQuery(trpc.jobs.list.infiniteQueryOptions(input, CURSOR_PAGES))
  const listed = useInfiniteRows(list)
  const columns = useJobColumns(listed.rows)
  const { departed, moved } = useMoved(filters, listed.rows)
  const shown = onlyStatus(filters.values) ? countOf(counts, filters.values.status) : undefined
  return (
    <>
      <FilterBar
        filters={filters}
        specs={useSpecs()}
        {...(shown
          ? { count: shown.exact ? t('count', { count: shown.count }) : t('atLeast', { count: shown.count }) }
          : {})}
      >
        <SavedViews list="jobs" filters={filters} />
        <ExportList list="jobs" filter={input} />
      </FilterBar>
      <JobLinkFilters filters={filters} />
      <BulkActions
        ids={selection.ids}
        rows={listed.rows ?? []}
        filter={input}
        select={selection.onChange}
        done={moved}
      />
      <DataTable
        label={t('title')}
        columns={columns}
        {...listed}
        departed={departed}
        rowId={(j) => j.job_id}
        rowName={(j) => j.title || j.job_id}
        href={(j) => `/jobs/${j.job_id}`}
        scope={filters.scope}
        filtered={filters.active}
        onClearFilters={filters.clear}
        selection={selection}
        empty={<EmptyState title={t('empty')}>{t('emptyHint')}</EmptyState>}
      />
    </>
  )
}

const onlyStatus = ({ status, ...others }: Filters['values']): boolean =>
  Boolean(status) && Object.values(others).every((value) => !value)

const countOf = (counts: JobCounts | undefined, status: string | null | undefined) =>
  status === CANCELLED ? counts?.cancelled : counts?.by_status[status as 'DEAD']

function useSpecs(): FilterSpec[] {
  const t = useTranslations('jobs')
  return [
    { kind: 'search', key: 'q', label: t('search') },
    {
      kind: 'select',
      key: 'type',
      label: t('type'),
      options: JOB_TYPES.map((type) => ({ value: type, label: t(`types.${type}`) })),
    },
    {
      kind: 'select',
      key: 'code',
      label: t('failureCode'),
      options: JOB_ERROR_CODES.map((code) => ({ value: code, label: t(`errors.${code}`) })),
    },
    { kind: 'date', key: 'from', label: t('from') },
    { kind: 'date', key: 'to', label: t('to') },
  ]
}

/** What an action makes of a job beside its state: a requeued one starts anew, and its last error and duration are no longer its own. */
const MADE: Record<JobAction, Partial<JobRow>> = {
  requeue: { attempt: 0, error: null, finished_at: null, failure_kind: null, attempt_started_at: null },
  cancel: { failure_kind: FAILURE_KIND_OF.cancel ?? null },
  fail: { failure_kind: FAILURE_KIND_OF.operator_fail ?? null },
}

/** What became of jobs that left the list, by actions here and by events. */
function useMoved(filters: Filters, rows: readonly JobRow[] | undefined) {
  const { status } = filters.values
  const wanted = useMemo(() => jobsInput({ status }).status, [status])
  const ids = useMemo(() => rows?.map((j) => j.job_id) ?? [], [rows])
  const list = { wanted, ids, scope: filters.scope }
  const { departed, depart } = useDepartures<JobRow>('job.status.changed', list)
  const moved = ({ action, changed }: JobBulkResult) =>
    depart(new Map(changed.map(({ job_id, status }) => [job_id, { status, ...MADE[action] }])))
  return { departed, moved }
}
