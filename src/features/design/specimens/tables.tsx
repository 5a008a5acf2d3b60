import { useState } from 'react'
import { Button } from '#ui/button.tsx'
import { DataTable, type DataTableProps } from '#ui/data-table.tsx'
import { columnsOf } from '#ui/data-table-columns.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { RelativeTime } from '#ui/time.tsx'
import type { Tone } from '#ui/tone.ts'
import type { Specimen } from '../specimen.ts'
import { SAMPLE_FAULT } from './sample-fault.ts'

type Row = { id: string; title: string; tone: Tone; word: string; count: number }

const ROWS: readonly Row[] = [
  { id: 'a', title: 'Which notes mention the north bed?', tone: 'working', word: 'Running', count: 3 },
  { id: 'b', title: 'Соняшники та їхні сусіди', tone: 'waiting', word: 'Queued', count: 12_000 },
  {
    id: 'c',
    title:
      'A title that is much longer than its column and therefore ends in an ellipsis before it can push others out',
    tone: 'dead',
    word: 'Dead',
    count: 0,
  },
]
const AN_HOUR_AGO = Date.now() - 3_600_000

const COLUMNS = columnsOf<Row>([
  {
    id: 'title',
    header: 'Title',
    width: 'w-full max-w-0',
    card: 'title',
    sort: 'title',
    cell: (row) => row.title,
  },
  {
    id: 'status',
    header: 'Status',
    card: 'corner',
    cell: (row) => <StatusBadge tone={row.tone}>{row.word}</StatusBadge>,
  },
  {
    id: 'count',
    header: 'Attempts',
    align: 'end',
    card: 'fact',
    cell: (row) => row.count.toLocaleString('en'),
  },
  { id: 'time', header: 'Created', align: 'end', cell: () => <RelativeTime at={AN_HOUR_AGO} /> },
])

const nothing = () => undefined

function Table(props: Partial<DataTableProps<Row>>) {
  return (
    <DataTable
      label="Samples"
      columns={COLUMNS}
      rows={ROWS}
      rowId={(row) => row.id}
      rowName={(row) => row.title}
      href={(row) => `/design#${row.id}`}
      scope=""
      keyboard={false}
      empty={
        <EmptyState title="No samples yet" action={<Button kind="primary">Create sample</Button>}>
          A sample appears here when somebody creates one.
        </EmptyState>
      }
      {...props}
    />
  )
}

function Selectable() {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set(['b']))
  const [sort, setSort] = useState('-title')
  return <Table selection={{ ids, onChange: setIds }} sorting={{ value: sort, onChange: setSort }} />
}

const MORE = { has: true, loading: false, load: nothing }

export const tables: Specimen = {
  name: 'DataTable',
  of: ['data-table.tsx', 'data-table-head.tsx', 'data-table-row.tsx', 'skeleton.tsx'],
  states: [
    { name: 'filled, one open, more to load', Show: () => <Table openId="a" more={MORE} /> },
    { name: 'selected and sorted', Show: Selectable },
    { name: 'loading more', Show: () => <Table more={{ ...MORE, loading: true }} /> },
    { name: 'loading', Show: () => <Table rows={undefined} /> },
    { name: 'empty', Show: () => <Table rows={[]} /> },
    { name: 'no match', Show: () => <Table rows={[]} filtered onClearFilters={nothing} /> },
    { name: 'error', Show: () => <Table rows={undefined} error={SAMPLE_FAULT} onRetry={nothing} /> },
    { name: 'error over older data', Show: () => <Table error={SAMPLE_FAULT} onRetry={nothing} /> },
  ],
}
