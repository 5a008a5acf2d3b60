'use client'
import { useMemo } from 'react'
import { useFormatter, useTranslations } from 'use-intl/react'
import type { DashboardMetrics } from '#contracts/dashboard.contract.ts'
import { DataTable } from '#ui/data-table.tsx'
import { columnsOf } from '#ui/data-table-columns.ts'
import { ExactTime, Milliseconds } from '#ui/time.tsx'
import { type Activity, type ActivityRow, rowsOf } from '../activity.ts'

/** What the charts show, as numbers; nothing where nothing is known. */
export function ActivityTable({ metrics, activity }: { metrics: DashboardMetrics; activity: Activity }) {
  const t = useTranslations('jobs')
  const format = useFormatter()
  const rows = useMemo(() => rowsOf(activity, metrics), [activity, metrics])
  const columns = useMemo(() => {
    const count = (
      id: 'waiting' | 'retrying' | 'working' | 'dead' | 'completed' | 'failed',
      header: string,
    ) => ({
      id,
      header,
      align: 'end' as const,
      card: 'fact' as const,
      cell: (row: ActivityRow) => (row[id] === null ? '' : format.number(Math.ceil(row[id]))),
    })
    const seconds = (id: 'p95' | 'startP95', header: string) => ({
      id,
      header,
      align: 'end' as const,
      card: 'fact' as const,
      cell: (row: ActivityRow) => (row[id] === null ? '' : <Milliseconds ms={row[id] * 1_000} />),
    })
    return columnsOf<ActivityRow>([
      { id: 'from', header: t('activityFrom'), card: 'title', cell: (row) => <ExactTime at={row.from} /> },
      count('waiting', t('highestWaiting')),
      count('retrying', t('highestRetrying')),
      count('working', t('highestWorking')),
      count('dead', t('highestDead')),
      count('completed', t('completed')),
      count('failed', t('failedAttempts')),
      seconds('startP95', t('highestStartP95')),
      seconds('p95', t('highestP95')),
    ])
  }, [t, format])
  return (
    <DataTable
      label={t('tabActivity')}
      columns={columns}
      rows={rows}
      rowId={(row) => String(row.from)}
      rowName={(row) => format.dateTime(row.from, { dateStyle: 'medium', timeStyle: 'short' })}
      scope={`activity ${metrics.window}`}
      keyboard={false}
      empty={null}
    />
  )
}
