'use client'
import { useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { FleetNode, NodeProject, NodeSync } from '#contracts/node.contract.ts'
import { Count } from '#ui/count.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { columnsOf } from '#ui/data-table-columns.ts'
import { Id } from '#ui/id.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { RelativeTime } from '#ui/time.tsx'
import { SYNC_STYLES } from '../status.ts'
import { NodeStatus } from './node-facts.tsx'
import { SyncButtons } from './sync-buttons.tsx'

/** The projects of a node, as it reported them, each with its push and pull. */
export function ProjectTable({ node }: { node: FleetNode }) {
  const t = useTranslations('nodes')
  const { projects } = node
  return (
    <DataTable
      label={t('projects')}
      columns={useProjectColumns(node)}
      rows={projects}
      rowId={(p) => p.canonical_id}
      rowName={(p) => p.name ?? p.canonical_id}
      scope={`projects ${projects.map((p) => p.canonical_id).join(' ')}`}
      keyboard={false}
      empty={<p className="text-ink-3">{t('noProjects')}</p>}
    />
  )
}

function useProjectColumns(node: FleetNode) {
  const t = useTranslations('nodes')
  return useMemo(
    () =>
      columnsOf<NodeProject>([
        {
          id: 'project',
          header: t('project'),
          width: 'w-full max-w-0',
          card: 'title',
          cell: (p) => (
            <span className="block min-w-0 py-(--row-pad)">
              <span className="block truncate font-medium">{p.name ?? p.canonical_id}</span>
              <span className="block truncate font-mono text-sm text-ink-3">{p.canonical_id}</span>
            </span>
          ),
        },
        {
          id: 'status',
          header: t('status'),
          card: 'corner',
          cell: (p) => <NodeStatus state={p.online ? 'online' : 'offline'} />,
        },
        { id: 'role', header: t('role'), card: 'fact', cell: (p) => <Role of={p} /> },
        {
          id: 'observations',
          header: t('observations'),
          card: 'fact',
          align: 'end',
          cell: (p) => (
            <span className="text-ink-2">
              {p.obs_count === null ? t('unknown') : <Count value={p.obs_count} />}
            </span>
          ),
        },
        {
          id: 'snapshot',
          header: t('snapshot'),
          card: 'fact',
          cell: (p) => (p.db_sha ? <Id value={p.db_sha} /> : null),
        },
        {
          id: 'push',
          header: t('lastPush'),
          card: 'fact',
          cell: (p) => (p.pushed_at ? <RelativeTime at={p.pushed_at} className="text-ink-2" /> : null),
        },
        {
          id: 'seen',
          header: t('lastSeen'),
          card: 'fact',
          align: 'end',
          cell: (p) => <RelativeTime at={p.last_seen} className="text-ink-3" />,
        },
        {
          id: 'actions',
          header: <span className="sr-only">{t('actions')}</span>,
          name: t('actions'),
          align: 'end',
          card: 'line',
          cell: (p) => <SyncButtons node={node} project={p} />,
        },
      ]),
    [t, node],
  )
}

function Role({ of }: { of: NodeProject }) {
  const t = useTranslations('nodes')
  return (
    <span
      className={of.role === 'primary' ? 'whitespace-nowrap font-medium' : 'whitespace-nowrap text-ink-2'}
    >
      {of.leadership_enabled ? t(`roles.${of.role}`) : t('leadershipOff')}
    </span>
  )
}

/** The newest syncs that somebody asked a node for. */
export function SyncTable({ syncs }: { syncs: readonly NodeSync[] }) {
  const t = useTranslations('nodes')
  return (
    <DataTable
      label={t('syncs')}
      columns={useSyncColumns()}
      rows={syncs}
      rowId={(s) => s.sync_id}
      rowName={(s) => t(`syncAction.${s.action}`)}
      scope={`syncs ${syncs.map((s) => s.sync_id).join(' ')}`}
      keyboard={false}
      empty={<p className="max-w-prose text-ink-3">{t('noSyncs')}</p>}
    />
  )
}

function useSyncColumns() {
  const t = useTranslations('nodes')
  return useMemo(
    () =>
      columnsOf<NodeSync>([
        {
          id: 'sync',
          header: t('sync'),
          card: 'title',
          cell: (s) => (
            <span className="whitespace-nowrap font-medium">
              {t(`syncAction.${s.action}`)} <span className="font-normal text-ink-3">{s.project}</span>
            </span>
          ),
        },
        {
          id: 'status',
          header: t('status'),
          card: 'corner',
          cell: (s) => <StatusBadge {...SYNC_STYLES[s.status]}>{t(`syncState.${s.status}`)}</StatusBadge>,
        },
        {
          id: 'message',
          header: t('message'),
          width: 'w-full',
          wrap: true,
          cell: (s) => (s.detail ? <span className="break-words text-sm text-ink-2">{s.detail}</span> : null),
        },
        { id: 'by', header: t('requestedBy'), card: 'fact', cell: (s) => s.requested_by },
        {
          id: 'requested',
          header: t('requested'),
          card: 'fact',
          align: 'end',
          cell: (s) => <RelativeTime at={s.created_at} className="text-ink-3" />,
        },
      ]),
    [t],
  )
}
