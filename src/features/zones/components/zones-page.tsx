'use client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ZoneView } from '#contracts/zone.contract.ts'
import type { ZoneState } from '#domain/zone/zone.machine.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useInfiniteRows } from '#lib/use-infinite-rows.ts'
import { DataTable } from '#ui/data-table.tsx'
import { columnsOf } from '#ui/data-table-columns.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { Page } from '#ui/page.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { Countdown, RelativeTime } from '#ui/time.tsx'
import { STATUS_STYLES } from '../status.ts'
import { useReadZones } from '../use-read-zones.ts'
import { CreateZone } from './create-zone.tsx'
import { ZoneActions } from './zone-actions.tsx'

const HOUR_MS = 3_600_000

/** The zones: scope, expiry and guests; create, change and revoke. */
export function ZonesPage() {
  const t = useTranslations('zones')
  const trpc = useTRPC()
  const list = useInfiniteQuery(trpc.zones.list.infiniteQueryOptions({}, CURSOR_PAGES))
  useLiveQueries(['zone.changed'], trpc.zones.pathFilter(), POLL_MS.slow)
  const shown = useInfiniteRows(list)
  const open = shown.rows?.filter((z) => z.status === 'open') ?? []
  const columns = useZoneColumns()
  const readZones = useReadZones()
  // Whoever made a zone looks for it: it need not be asked for, as what others made.
  const [made, setMade] = useState(0)
  const onMade = () => void readZones().then(() => setMade((before) => before + 1))
  return (
    <Page>
      <PageHeader
        title={t('title')}
        sentence={
          shown.rows
            ? t('sentence', { open: open.length, guests: open.reduce((n, z) => n + z.guests, 0) })
            : t('loading')
        }
        action={<CreateZone onMade={onMade} />}
      />
      <DataTable
        label={t('title')}
        columns={columns}
        {...shown}
        rowId={(z) => z.zone_id}
        rowName={(z) => z.name}
        href={(z) => `/zones/${z.zone_id}`}
        scope={`zones ${made}`}
        empty={<EmptyState title={t('empty')}>{t('emptyHint')}</EmptyState>}
      />
    </Page>
  )
}

function useZoneColumns() {
  const t = useTranslations('zones')
  return useMemo(
    () =>
      columnsOf<ZoneView>([
        {
          id: 'name',
          header: t('zone'),
          width: 'w-full max-w-0',
          card: 'title',
          cell: (z) => <Name zone={z} />,
        },
        {
          id: 'status',
          header: t('status'),
          cell: (z) => (
            <StatusBadge {...STATUS_STYLES[z.status as ZoneState]}>
              {t(`state.${z.status as ZoneState}`)}
            </StatusBadge>
          ),
        },
        {
          id: 'scope',
          header: t('scope'),
          cell: (z) => (
            <span className="block max-w-72 truncate font-mono text-sm text-ink-2">{scopeText(z)}</span>
          ),
        },
        {
          id: 'guests',
          header: t('guests'),
          card: 'fact',
          align: 'end',
          cell: (z) => <span className="tabular">{z.guests}</span>,
        },
        {
          id: 'entries',
          header: t('entries'),
          card: 'fact',
          align: 'end',
          cell: (z) => <span className="tabular text-ink-2">{z.entries}</span>,
        },
        {
          id: 'expires',
          header: t('expires'),
          align: 'end',
          cell: (z) => <EndsCell zone={z} />,
        },
        {
          id: 'actions',
          header: '',
          name: t('actions'),
          align: 'end',
          card: 'corner',
          cell: (z) => <ZoneActions zone={z} />,
        },
      ]),
    [t],
  )
}

/** Folders and tags in one line. */
export const scopeText = ({ folders, tags }: ZoneView): string =>
  [...folders, ...tags.map((tag) => `#${tag}`)].join(', ')

/** When access ends, or when it did. */
export function Ends({ zone }: { zone: ZoneView }) {
  if (zone.status === 'open') return <Countdown until={zone.expires_at} urgentBelow={HOUR_MS} />
  return <RelativeTime at={zone.revoked_at ?? zone.expires_at} className="text-ink-3" />
}

/** The same in a row; a phone shows no header that would say which it is. */
function EndsCell({ zone }: { zone: ZoneView }) {
  const t = useTranslations('zones')
  return (
    <>
      <span className="text-ink-3 md:hidden">{t(zone.status === 'open' ? 'expires' : 'ended')} </span>
      <Ends zone={zone} />
    </>
  )
}

function Name({ zone }: { zone: ZoneView }) {
  const t = useTranslations('zones')
  return (
    <span className="block min-w-0 py-(--row-pad)">
      <span className="block truncate font-medium">{zone.name}</span>
      {zone.description ? (
        <span className="block truncate text-sm text-ink-3">{zone.description}</span>
      ) : null}
      {zone.locked_until ? (
        <span className="block text-sm text-waiting">
          {t('lockedUntil')} <RelativeTime at={zone.locked_until} />
        </span>
      ) : zone.failed_attempts > 0 ? (
        <span className="block text-sm text-waiting">{t('wrong', { n: zone.failed_attempts })}</span>
      ) : null}
    </span>
  )
}
