'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import { may } from '#domain/authority/matrix.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useSession } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { buttonClass } from '#ui/button-class.ts'
import { DataTable } from '#ui/data-table.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { Link } from '#ui/link.tsx'
import { Page } from '#ui/page.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { useWorkerColumns } from '../columns.tsx'
import { workerHref } from '../input.ts'
import { summaryOf } from '../worker-state.ts'
import { ControlPlaneNotice } from './control-plane-notice.tsx'

/**
 * The Worker Nodes. Heartbeats write no events, so what they say is read again every few seconds while the page is in view; what people and
 * tasks change comes by the stream.
 */
export function WorkersPage() {
  const t = useTranslations('workers')
  const trpc = useTRPC()
  const list = useQuery(trpc.workers.list.queryOptions(undefined, { refetchInterval: POLL_MS.liveness }))
  useLiveQueries(
    ['worker.status.changed', 'task.status.changed'],
    trpc.workers.list.pathFilter(),
    POLL_MS.liveness,
  )
  const workers = list.data?.items
  return (
    <Page wide>
      <PageHeader
        title={t('title')}
        sentence={workers && workers.length > 0 ? t('count', summaryOf(workers)) : t('loading')}
      />
      <ControlPlaneNotice />
      <DataTable
        label={t('title')}
        columns={useWorkerColumns()}
        rows={workers}
        error={list.error}
        onRetry={() => void list.refetch()}
        rowId={(worker) => worker.id}
        rowName={(worker) => worker.name}
        href={(worker) => workerHref(worker.id)}
        scope="workers"
        empty={<NoWorker />}
      />
    </Page>
  )
}

function NoWorker() {
  const t = useTranslations('workers')
  const { role } = useSession()
  return (
    <EmptyState
      title={t('empty')}
      action={
        may(role, 'node.manage') ? (
          <Link href="/nodes" className={buttonClass('secondary')}>
            {t('openNodes')}
          </Link>
        ) : undefined
      }
    >
      {t('emptyHint')}
    </EmptyState>
  )
}
