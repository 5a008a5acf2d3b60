'use client'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ReaderView, ReadingView } from '#contracts/zone-reading.contract.ts'
import { noteName } from '#domain/garden/garden-path.ts'
import { READING_DAYS } from '#domain/zone/zone-reading.rules.ts'
import { noteHref } from '#features/notes/index.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { type Filters, useFilters } from '#lib/url-state.ts'
import { useInfiniteRows } from '#lib/use-infinite-rows.ts'
import { DataTable } from '#ui/data-table.tsx'
import { columnsOf } from '#ui/data-table-columns.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { FilterBar } from '#ui/filter-bar.tsx'
import { Section } from '#ui/section.tsx'
import { ExactTime, RelativeTime } from '#ui/time.tsx'
import { READING_FILTERS, readingsInput } from '../input.ts'

/** Which notes the guests of a zone opened, how often, and when last; of all guests or of one. No event tells of it, so it is asked again. */
export function ZoneReadings({ zoneId }: { zoneId: string }) {
  const t = useTranslations('zones.page')
  const trpc = useTRPC()
  const filters = useFilters(READING_FILTERS)
  const list = useInfiniteQuery({
    ...trpc.zones.readings.infiniteQueryOptions(readingsInput(zoneId, filters.values), CURSOR_PAGES),
    refetchInterval: POLL_MS.idle,
  })
  const shown = useInfiniteRows(list)
  const columns = useReadingColumns()
  return (
    <Section title={t('readings')} hint={t('readingsHint', { days: READING_DAYS })}>
      <ReaderFilter zoneId={zoneId} filters={filters} />
      <DataTable
        label={t('readings')}
        columns={columns}
        {...shown}
        rowId={(r) => r.reading_id}
        rowName={(r) => `${noteName(r.path)}, ${t('guestNo', { n: r.guest })}`}
        href={(r) => noteHref(r.path)}
        scope={filters.scope}
        filtered={filters.active}
        onClearFilters={filters.clear}
        empty={<EmptyState title={t('readingsEmpty')}>{t('readingsEmptyHint')}</EmptyState>}
      />
    </Section>
  )
}

/** Nothing until somebody has read something. */
function ReaderFilter({ zoneId, filters }: { zoneId: string; filters: Filters }) {
  const t = useTranslations('zones.page')
  const trpc = useTRPC()
  const readers = useQuery({
    ...trpc.zones.readers.queryOptions({ zone_id: zoneId }),
    refetchInterval: POLL_MS.idle,
  }).data
  const { guest } = readingsInput(zoneId, filters.values)
  if (!readers || (readers.total === 0 && !filters.active)) return null
  const selected = readers.items.find((reader) => reader.guest === guest)
  const optionOf = ({ guest: n, notes }: ReaderView) => ({
    value: String(n),
    label: t('guestNotes', { n, notes }),
  })
  return (
    <>
      <FilterBar
        filters={filters}
        specs={[
          {
            kind: 'select',
            key: 'guest',
            label: t('guest'),
            options: [
              { value: '', label: t('allGuests') },
              ...readers.items.map(optionOf),
              ...(guest === undefined || selected
                ? []
                : [{ value: String(guest), label: t('guestNo', { n: guest }) }]),
            ],
          },
        ]}
      />
      {selected ? (
        <p className="pb-3 text-sm text-ink-2">
          {t('entered')} <ExactTime at={selected.entered_at} />
        </p>
      ) : null}
      {readers.total > readers.items.length ? (
        <p className="pb-3 text-sm text-ink-3">
          {t('moreReaders', { shown: readers.items.length, total: readers.total })}
        </p>
      ) : null}
    </>
  )
}

function useReadingColumns() {
  const t = useTranslations('zones.page')
  return useMemo(
    () =>
      columnsOf<ReadingView>([
        {
          id: 'note',
          header: t('note'),
          width: 'w-full max-w-0',
          card: 'title',
          cell: ({ path }) => (
            <span className="block min-w-0 py-0.5">
              <span className="block truncate">{noteName(path)}</span>
              <span className="block truncate font-mono text-sm font-normal text-ink-3">{path}</span>
            </span>
          ),
        },
        { id: 'guest', header: t('guest'), cell: ({ guest }) => t('guestNo', { n: guest }) },
        {
          id: 'openings',
          header: t('openings'),
          card: 'fact',
          align: 'end',
          cell: ({ openings }) => <span className="tabular text-ink-2">{t('times', { n: openings })}</span>,
        },
        {
          id: 'first',
          header: t('firstRead'),
          card: 'fact',
          align: 'end',
          cell: (r) => <RelativeTime at={r.first_read_at} className="text-ink-3" />,
        },
        {
          id: 'last',
          header: t('lastRead'),
          card: 'fact',
          align: 'end',
          cell: (r) => <RelativeTime at={r.last_read_at} />,
        },
      ]),
    [t],
  )
}
