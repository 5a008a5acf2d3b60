import { useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { AlertView } from '#contracts/alert.contract.ts'
import { type Column, columnsOf } from '#ui/data-table-columns.ts'
import { StatusBadge } from '#ui/status-badge.tsx'
import { RelativeTime } from '#ui/time.tsx'
import { Acknowledge } from './components/acknowledge.tsx'
import { Reading } from './components/reading.tsx'
import { SEVERITY_STYLES, STATUS_STYLES } from './status.ts'

/** The columns of a list of alerts: those that stand can be acknowledged, of those that are closed one sees when. */
export function useAlertColumns(closed: boolean) {
  const t = useTranslations('alerts')
  return useMemo(
    () =>
      columnsOf<AlertView>([
        {
          id: 'severity',
          header: t('severity'),
          cell: (a) => (
            <StatusBadge {...SEVERITY_STYLES[a.severity]}>{t(`severities.${a.severity}`)}</StatusBadge>
          ),
        },
        {
          id: 'alert',
          header: t('alert'),
          width: 'w-full max-w-0',
          card: 'title',
          cell: (a) => <Subject alert={a} />,
        },
        ...(closed ? [] : [STATUS(t)]),
        {
          id: 'opened',
          header: t('since'),
          card: 'fact',
          cell: (a) => <RelativeTime at={a.opened_at} className="text-ink-3" />,
        },
        closed
          ? {
              id: 'closed',
              header: t('closedAt'),
              card: 'fact',
              align: 'end',
              cell: (a) => (a.closed_at ? <RelativeTime at={a.closed_at} className="text-ink-3" /> : null),
            }
          : {
              id: 'actions',
              header: t('actions'),
              align: 'end',
              cell: (a) => <Acknowledge alert={a} />,
            },
      ] satisfies Column<AlertView>[]),
    [t, closed],
  )
}

const STATUS = (t: ReturnType<typeof useTranslations<'alerts'>>): Column<AlertView> => ({
  id: 'status',
  header: t('status'),
  cell: (a) => <StatusBadge {...STATUS_STYLES[a.status]}>{t(`state.${a.status}`)}</StatusBadge>,
})

function Subject({ alert }: { alert: AlertView }) {
  const t = useTranslations('alerts')
  return (
    <span className="block min-w-0 py-(--row-pad)">
      <span className="block font-medium">
        {t(`rules.${alert.rule}`)}{' '}
        <span className="break-all font-mono text-sm text-ink-3">{alert.resource}</span>
      </span>
      <span className="block text-sm">
        <Reading alert={alert} />
      </span>
    </span>
  )
}
