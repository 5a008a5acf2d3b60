'use client'
import { useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { LeaseView } from '#contracts/llm-task.contract.ts'
import { LeaseLeft, LeaseStatus, SelectionView } from '#features/tasks/index.ts'
import { DataTable } from '#ui/data-table.tsx'
import { type Column, columnsOf } from '#ui/data-table-columns.ts'
import { shortId } from '#ui/id.tsx'
import { Link } from '#ui/link.tsx'
import { RelativeTime } from '#ui/time.tsx'

type Props = { leases: readonly LeaseView[] }

/** The tasks that a worker has now, with the time that is left to each. */
export function ActiveLeases({ leases }: Props) {
  const t = useTranslations('workers')
  const columns = useMemo(
    () =>
      columnsOf<LeaseView>([
        taskColumn(t('task')),
        contextColumn(t('context')),
        {
          id: 'left',
          header: t('timeLeft'),
          width: 'w-full',
          wrap: true,
          cell: (lease) => <LeaseLeft lease={lease} />,
        },
        startedColumn(t('started')),
      ]),
    [t],
  )
  return <LeaseTable label={t('leases')} empty={t('noLeases')} leases={leases} columns={columns} />
}

/** The last tasks that a worker got: how each ended for it, and why it was chosen. */
export function LastSelections({ leases }: Props) {
  const t = useTranslations('workers')
  const columns = useMemo(
    () =>
      columnsOf<LeaseView>([
        taskColumn(t('task')),
        { id: 'status', header: t('status'), card: 'corner', cell: (lease) => <LeaseStatus lease={lease} /> },
        {
          id: 'reason',
          header: t('reason'),
          width: 'w-full',
          wrap: true,
          cell: (lease) => (lease.selection ? <SelectionView selection={lease.selection} short /> : null),
        },
        startedColumn(t('started')),
      ]),
    [t],
  )
  return <LeaseTable label={t('selections')} empty={t('noSelections')} leases={leases} columns={columns} />
}

const taskColumn = (header: string): Column<LeaseView> => ({
  id: 'task',
  header,
  card: 'title',
  cell: (lease) => (
    <Link href={`/tasks/${lease.task_id}`} className="font-mono text-sm">
      {shortId(lease.task_id)}
    </Link>
  ),
})

const contextColumn = (header: string): Column<LeaseView> => ({
  id: 'context',
  header,
  wrap: true,
  cell: (lease) => <span className="break-all font-mono text-sm text-ink-2">{lease.context_id}</span>,
})

const startedColumn = (header: string): Column<LeaseView> => ({
  id: 'started',
  header,
  card: 'fact',
  align: 'end',
  cell: (lease) => <RelativeTime at={lease.started_at} className="text-ink-3" />,
})

type TableProps = Props & {
  label: string
  empty: string
  columns: ReturnType<typeof columnsOf<LeaseView>>
}

function LeaseTable({ label, empty, leases, columns }: TableProps) {
  return (
    <DataTable
      label={label}
      columns={columns}
      rows={leases}
      rowId={(lease) => lease.id}
      rowName={(lease) => lease.task_id}
      scope={`${label} ${leases.map((lease) => lease.id).join(' ')}`}
      keyboard={false}
      empty={<p className="text-ink-3">{empty}</p>}
    />
  )
}
