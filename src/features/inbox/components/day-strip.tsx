'use client'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useFormatter, useTranslations } from 'use-intl/react'
import type { InboxDay } from '#contracts/inbox.contract.ts'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useFilters } from '#lib/url-state.ts'
import { DataTable } from '#ui/data-table.tsx'
import { columnsOf } from '#ui/data-table-columns.ts'
import { ColumnStrip, ColumnStripPlace } from '#ui/lazy.tsx'
import { Link } from '#ui/link.tsx'
import type { PartLook } from '#ui/part-look.tsx'
import { TableBehind } from '#ui/table-behind.tsx'

type Part = Exclude<keyof InboxDay, 'day'>
const LOOKS: Record<Part, PartLook> = {
  arrived: 'outline',
  approved: 'solid',
  rejected: 'hatched',
  expired: 'dotted',
}
const PARTS = Object.keys(LOOKS) as Part[]
/** What arrived stands beside what was decided. */
const BARS: readonly (readonly Part[])[] = [['arrived'], ['approved', 'rejected', 'expired']]

const hrefOf = (day: string) => `/inbox?from=${day}&to=${day}`

/** The last 30 days of the Inbox: what arrived and what was decided; a day leads to the entries received on it. */
export function DayStrip() {
  const t = useTranslations('inbox')
  const trpc = useTRPC()
  const format = useFormatter()
  const { from, to } = useFilters(['from', 'to']).values
  // Its sums are seconds behind the events: read on one, they would lack what it tells of.
  const counted = useQuery(trpc.inbox.days.queryOptions(undefined, { refetchInterval: POLL_MS.idle }))
  const days = counted.data?.days
  if (!days) return <ColumnStripPlace />
  const nameOf = (day = '') =>
    format.dateTime(new Date(day), { day: 'numeric', month: 'short', timeZone: 'UTC' })
  const total = (part: Part) => days.reduce((sum, day) => sum + day[part], 0)
  const [arrived, approved, rejected, expired] = PARTS.map(total) as [number, number, number, number]
  // A new garden has no picture yet; the list below says what belongs here.
  if (arrived + approved + rejected + expired === 0) return null
  return (
    <div className="mb-4">
      <ColumnStrip
        title={t('days')}
        summary={`${t('days')}: ${t('daysSummary', { arrived, approved, rejected, expired })}`}
        parts={PARTS.map((id) => ({ id, label: t(`parts.${id}`), look: LOOKS[id] }))}
        columns={days.map((day) => ({
          id: day.day,
          label: t('dayLabel', { ...day, day: nameOf(day.day) }),
          href: hrefOf(day.day),
          shown: from === day.day && to === day.day,
          bars: BARS.map((parts) => parts.map((part) => ({ part, value: day[part] }))),
        }))}
        ends={[nameOf(days[0]?.day), nameOf(days.at(-1)?.day)]}
      />
      <TableBehind>
        <DayTable days={days} nameOf={nameOf} />
      </TableBehind>
    </div>
  )
}

/** What the picture shows, as numbers, the newest day first. */
function DayTable({ days, nameOf }: { days: readonly InboxDay[]; nameOf: (day: string) => string }) {
  const t = useTranslations('inbox')
  const format = useFormatter()
  const rows = useMemo(() => days.toReversed(), [days])
  const columns = columnsOf<InboxDay>([
    {
      id: 'day',
      header: t('day'),
      card: 'title',
      cell: ({ day }) => (
        <Link href={hrefOf(day)} scroll={false}>
          {nameOf(day)}
        </Link>
      ),
    },
    ...PARTS.map((part) => ({
      id: part,
      header: t(`parts.${part}`),
      align: 'end' as const,
      card: 'fact' as const,
      cell: (day: InboxDay) => format.number(day[part]),
    })),
  ])
  return (
    <DataTable
      label={t('days')}
      columns={columns}
      rows={rows}
      rowId={({ day }) => day}
      scope="days"
      keyboard={false}
      empty={null}
    />
  )
}
