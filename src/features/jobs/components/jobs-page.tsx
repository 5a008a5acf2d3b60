'use client'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { JobCounts, JobRow } from '#contracts/job.contract.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { type Filters, useFilters, useUrlValue } from '#lib/url-state.ts'
import { useDepartures } from '#lib/use-departures.ts'
import { useInfiniteRows } from '#lib/use-infinite-rows.ts'
import { buttonClass } from '#ui/button-class.ts'
import { DataTable } from '#ui/data-table.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { FilterBar } from '#ui/filter-bar.tsx'
import { Link } from '#ui/link.tsx'
import { Page } from '#ui/page.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { Tabs } from '#ui/tabs.tsx'
import { useJobColumns } from '../columns.tsx'
import { JOB_FILTERS, jobsInput } from '../input.ts'
import { BulkRequeue } from './bulk-requeue.tsx'
import { Failures } from './failures.tsx'
import { JobStates } from './job-timeline.tsx'

/** The Jobs page: the nine states with their counts, the list, and the failures grouped by what went wrong. */
export function JobsPage() {
  const t = useTranslations('jobs')
  const trpc = useTRPC()
  const [tab, setTab] = useUrlValue('tab', 'list')
  const [status] = useUrlValue('status', '')
  const counts = useQuery(trpc.jobs.counts.queryOptions())
  useLiveQueries(['job.status.changed'], trpc.jobs.pathFilter(), POLL_MS.live)
  return (
    <Page wide>
      <PageHeader
        title={t('title')}
        sentence={counts.data ? <Sentence counts={counts.data} /> : t('loading')}
        action={
          <Link href="/agents" className={buttonClass('secondary')}>
            {t('runAgent')}
          </Link>
        }
      />
      <JobStates counts={counts.data} shown={tab === 'list' ? status : undefined} />
      <Tabs
        label={t('title')}
        value={tab}
        onChange={setTab}
        tabs={[
          { id: 'list', label: t('tabList') },
          { id: 'failures', label: t('tabFailures') },
        ]}
      >
        {tab === 'failures' ? <Failures /> : <JobList counts={counts.data} />}
      </Tabs>
    </Page>
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
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const list = useInfiniteQuery(trpc.jobs.list.infiniteQueryOptions(jobsInput(filters.values), CURSOR_PAGES))
  const listed = useInfiniteRows(list)
  const columns = useJobColumns()
  const { departed, moved } = useMoved(filters, listed.rows)
  const shown =
    filters.values.status && !filters.values.q && !filters.values.agent
      ? counts?.by_status[filters.values.status as 'DEAD']
      : undefined
  return (
    <>
      <FilterBar
        filters={filters}
        specs={[{ kind: 'search', key: 'q', label: t('search') }]}
        {...(shown
          ? { count: shown.exact ? t('count', { count: shown.count }) : t('atLeast', { count: shown.count }) }
          : {})}
      />
      <BulkRequeue
        ids={ids}
        rows={listed.rows ?? []}
        filter={jobsInput(filters.values)}
        select={setIds}
        moved={moved}
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
        selection={{ ids, onChange: setIds }}
        empty={<EmptyState title={t('empty')}>{t('emptyHint')}</EmptyState>}
      />
    </>
  )
}

/** A requeued job starts anew: its last error and duration are no longer its own. */
const AFRESH = { attempt: 0, error: null, finished_at: null } as const

/** What became of jobs that left the list, by actions here and by events. */
function useMoved(filters: Filters, rows: readonly JobRow[] | undefined) {
  const { status } = filters.values
  const wanted = useMemo(() => jobsInput({ status }).status, [status])
  const ids = useMemo(() => rows?.map((j) => j.job_id) ?? [], [rows])
  const list = { wanted, ids, scope: filters.scope }
  const { departed, depart } = useDepartures<JobRow>('job.status.changed', list)
  const moved = (jobs: readonly Pick<JobRow, 'job_id' | 'status'>[]) =>
    depart(new Map(jobs.map(({ job_id, status }) => [job_id, { status, ...AFRESH }])))
  return { departed, moved }
}
