'use client'
import { useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { DeliveryView } from '#contracts/alert.contract.ts'
import { DataTable } from '#ui/data-table.tsx'
import { columnsOf } from '#ui/data-table-columns.ts'
import { StatusBadge } from '#ui/status-badge.tsx'
import { RelativeTime } from '#ui/time.tsx'
import { DELIVERY_STYLES } from '../status.ts'

/** Messages about alerts: over which channel, how often tried, and why not delivered. */
export function Deliveries({ rows }: { rows: readonly DeliveryView[] }) {
  const t = useTranslations('alerts')
  const columns = useMemo(
    () =>
      columnsOf<DeliveryView>([
        { id: 'message', header: t('message'), card: 'title', cell: (d) => t(`message_${d.message}`) },
        { id: 'channel', header: t('channel'), card: 'fact', cell: (d) => t(`channels.${d.channel}`) },
        {
          id: 'status',
          header: t('status'),
          card: 'corner',
          cell: (d) => (
            <StatusBadge {...DELIVERY_STYLES[d.status]}>{t(`deliveryState.${d.status}`)}</StatusBadge>
          ),
        },
        {
          id: 'attempts',
          header: t('attempts'),
          card: 'fact',
          align: 'end',
          cell: (d) => <span className="tabular">{d.attempts}</span>,
        },
        {
          id: 'error',
          header: t('lastError'),
          width: 'w-full',
          cell: (d) => (d.last_error ? <span className="break-words text-ink-2">{d.last_error}</span> : null),
        },
        {
          id: 'time',
          header: t('time'),
          card: 'fact',
          align: 'end',
          cell: (d) => <RelativeTime at={d.ended_at ?? d.created_at} className="text-ink-3" />,
        },
      ]),
    [t],
  )
  return (
    <DataTable
      label={t('messages')}
      columns={columns}
      rows={rows}
      rowId={(d) => d.delivery_id}
      rowName={(d) => t(`channels.${d.channel}`)}
      scope={`deliveries ${rows.map((d) => d.delivery_id).join(' ')}`}
      keyboard={false}
      empty={null}
    />
  )
}
