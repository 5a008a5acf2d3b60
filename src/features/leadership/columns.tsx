import { useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { LeadershipSummary } from '#contracts/leadership-console.contract.ts'
import { columnsOf } from '#ui/data-table-columns.ts'
import { Id } from '#ui/id.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { PushedBy, PushedRecords } from './components/last-push.tsx'
import { LeaseStatus } from './components/lease-status.tsx'
import { LOCK_STYLES } from './status.ts'

/** Two lines in a table, one that wraps on a phone's card. */
const CELL = 'md:block md:py-1 max-md:inline-flex max-md:flex-wrap max-md:items-baseline max-md:gap-x-2'

/** The columns of the list of projects. */
export function useLeadershipColumns() {
  const t = useTranslations('leadership')
  return useMemo(
    () =>
      columnsOf<LeadershipSummary>([
        {
          id: 'project',
          header: t('project'),
          width: 'w-full max-w-0',
          card: 'title',
          cell: (row) => <Project row={row} />,
        },
        {
          id: 'primary',
          header: t('primary'),
          card: 'fact',
          cell: (row) => <Primary row={row} />,
        },
        { id: 'lease', header: t('lease'), card: 'fact', cell: (row) => <Lease row={row} /> },
        {
          id: 'push',
          header: t('lastPush'),
          card: 'fact',
          cell: (row) => (
            <span className={CELL}>
              <span className="block">
                <PushedRecords pointer={row.pointer} />
              </span>
              <span className="block text-sm">
                <PushedBy pointer={row.pointer} />
              </span>
            </span>
          ),
        },
        {
          id: 'nodes',
          header: t('nodes'),
          card: 'fact',
          align: 'end',
          cell: (row) => (
            <span className="tabular whitespace-nowrap text-sm text-ink-2">
              {t('nodesOnline', { online: row.nodes_online, nodes: row.nodes })}
            </span>
          ),
        },
      ]),
    [t],
  )
}

function Project({ row }: { row: LeadershipSummary }) {
  const t = useTranslations('leadership')
  return (
    <span className="block min-w-0 py-(--row-pad)">
      <span className="block truncate font-medium">{row.name}</span>
      <span className="flex flex-wrap items-center gap-x-3 text-sm text-ink-3">
        <Id value={row.canonical_id} />
        {row.needs_ui_selection ? <StatusBadge tone="waiting">{t('needsSelection')}</StatusBadge> : null}
      </span>
    </span>
  )
}

function Primary({ row }: { row: LeadershipSummary }) {
  const t = useTranslations('leadership')
  if (row.primary_node_id === null) return <span className="text-ink-3">{t('noPrimary')}</span>
  return (
    <span className={`${CELL} min-w-0 md:max-w-48`}>
      <span className="block truncate font-medium" data-tip={row.primary_node_id}>
        {row.primary_node_id}
      </span>
      <span className="block text-sm">
        <StatusBadge tone={row.primary_online ? 'done' : 'held'}>
          {t(row.primary_online ? 'online' : 'offline')}
        </StatusBadge>
      </span>
    </span>
  )
}

function Lease({ row }: { row: LeadershipSummary }) {
  const t = useTranslations('leadership')
  return (
    <span className={CELL}>
      <LeaseStatus lease={row} />
      <span className="flex flex-wrap items-center gap-x-3 text-sm text-ink-3">
        {row.epoch === null ? null : (
          <span className="tabular">{t('epochTerm', { epoch: row.epoch, term: row.term ?? 0 })}</span>
        )}
        {row.lock.state === 'free' ? null : (
          <StatusBadge {...LOCK_STYLES[row.lock.state]}>
            {t('lock')}: {t(`lockState.${row.lock.state}`)}
          </StatusBadge>
        )}
      </span>
    </span>
  )
}
