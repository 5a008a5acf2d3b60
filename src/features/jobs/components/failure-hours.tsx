'use client'
import { useMemo } from 'react'
import { useFormatter, useTranslations } from 'use-intl/react'
import { DataTable } from '#ui/data-table.tsx'
import { columnsOf } from '#ui/data-table-columns.ts'
import { ExactTime } from '#ui/time.tsx'
import type { FailureGroup } from '../failure-columns.tsx'
import { JobErrorLine } from './job-error.tsx'

type HourRow = { id: string; from: number; code: string; count: number }
const HOUR_MS = 3_600_000

/** What the sparklines show, as numbers: each hour in which jobs of a group failed, the newest first. */
export function FailureHours({ groups, at }: { groups: readonly FailureGroup[]; at: number }) {
  const t = useTranslations('jobs')
  const format = useFormatter()
  const rows = useMemo(() => rowsOf(groups, at), [groups, at])
  const columns = useMemo(
    () =>
      columnsOf<HourRow>([
        { id: 'from', header: t('activityFrom'), card: 'title', cell: (row) => <ExactTime at={row.from} /> },
        {
          id: 'code',
          header: t('failureCode'),
          width: 'w-full',
          cell: (row) => <JobErrorLine error={{ code: row.code, message: row.code }} />,
        },
        {
          id: 'count',
          header: t('failureCount'),
          align: 'end',
          card: 'fact',
          cell: (row) => format.number(row.count),
        },
      ]),
    [t, format],
  )
  return (
    <DataTable
      label={t('hoursTable')}
      columns={columns}
      rows={rows}
      rowId={(row) => row.id}
      scope={`hours ${at}`}
      keyboard={false}
      empty={<p className="text-sm text-ink-3">{t('hoursNone')}</p>}
    />
  )
}

const rowsOf = (groups: readonly FailureGroup[], at: number): HourRow[] =>
  groups
    .flatMap(({ code, phase, hours }) =>
      hours.flatMap((count, n) => {
        const from = at - (hours.length - n) * HOUR_MS
        return count > 0 ? [{ id: `${code} ${phase} ${n}`, from, code, count }] : []
      }),
    )
    .sort((a, b) => b.from - a.from)
