'use client'
import { useMemo } from 'react'
import { useFormatter, useTranslations } from 'use-intl/react'
import { DataTable } from '#ui/data-table.tsx'
import { columnsOf } from '#ui/data-table-columns.ts'
import { Link } from '#ui/link.tsx'
import type { MachineState } from './job-machine.tsx'

/** What the picture of the machine shows, as numbers. */
export function MachineTable({ states }: { states: readonly MachineState[] }) {
  const t = useTranslations('jobs')
  const format = useFormatter()
  const columns = useMemo(() => {
    const rate = (id: 'in' | 'out') => ({
      id,
      header: t(`machineTable.${id}`),
      align: 'end' as const,
      cell: (state: MachineState) => (state.rate ? format.number(state.rate[id]) : ''),
    })
    return columnsOf<MachineState>([
      {
        id: 'state',
        header: t('status'),
        width: 'w-full',
        cell: (state) => (
          <Link quiet href={state.href ?? '/jobs'}>
            {state.label}
          </Link>
        ),
      },
      { id: 'count', header: t('machineTable.count'), align: 'end', cell: (state) => state.count ?? '' },
      rate('in'),
      rate('out'),
    ])
  }, [t, format])
  return (
    <DataTable
      label={t('states')}
      columns={columns}
      rows={states}
      rowId={({ id }) => id}
      scope="machine"
      keyboard={false}
      empty={null}
    />
  )
}
