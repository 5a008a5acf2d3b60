import { useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { FleetNode } from '#contracts/node.contract.ts'
import { type Column, columnsOf } from '#ui/data-table-columns.ts'
import { RelativeTime } from '#ui/time.tsx'
import { KeyState, NodeStatus } from './components/node-facts.tsx'
import { NodeMenu } from './components/node-menu.tsx'

const SHOWN_PROJECTS = 2

/** The columns of the list of nodes. */
export function useNodeColumns() {
  const t = useTranslations('nodes')
  return useMemo(
    () =>
      columnsOf<FleetNode>([
        {
          id: 'node',
          header: t('node'),
          width: 'w-full max-w-0',
          card: 'title',
          cell: (n) => <Name node={n} />,
        },
        { id: 'status', header: t('status'), card: 'line', cell: (n) => <NodeStatus state={n.state} /> },
        {
          id: 'seen',
          header: t('lastSeen'),
          card: 'fact',
          cell: (n) => <Time at={n.last_seen} />,
        },
        { id: 'push', header: t('lastPush'), card: 'fact', cell: (n) => <LastPush node={n} /> },
        {
          id: 'version',
          header: t('version'),
          card: 'fact',
          cell: (n) => (n.agent_version ? <span className="text-ink-2">{n.agent_version}</span> : null),
        },
        { id: 'key', header: t('key'), card: 'fact', cell: (n) => <KeyState node={n} /> },
        {
          id: 'actions',
          header: <span className="sr-only">{t('actions')}</span>,
          name: t('actions'),
          align: 'end',
          card: 'corner',
          cell: (n) => <NodeMenu node={n} />,
        },
      ] satisfies Column<FleetNode>[]),
    [t],
  )
}

function Name({ node }: { node: FleetNode }) {
  const t = useTranslations('nodes')
  const names = node.projects.map((p) => p.name ?? p.canonical_id)
  const rest = names.length - SHOWN_PROJECTS
  return (
    <span className="block min-w-0 py-(--row-pad)">
      <span className="block truncate font-medium" data-tip={node.node_id}>
        {node.node_id}
      </span>
      {names.length > 0 ? (
        <span className="block truncate text-sm text-ink-3" data-tip={names.join(', ')}>
          {[
            ...names.slice(0, SHOWN_PROJECTS),
            ...(rest > 0 ? [t('moreProjects', { count: rest })] : []),
          ].join(', ')}
        </span>
      ) : null}
    </span>
  )
}

/** The newest push that this node made to any of its projects and that nobody has overtaken. */
function LastPush({ node }: { node: FleetNode }) {
  const newest = node.projects.reduce<string | null>(
    (latest, { pushed_at: at }) => (at && (!latest || at > latest) ? at : latest),
    null,
  )
  return newest ? <RelativeTime at={newest} className="text-ink-2" /> : null
}

function Time({ at }: { at: string | null }) {
  const t = useTranslations('nodes')
  return at ? (
    <RelativeTime at={at} className="text-ink-2" />
  ) : (
    <span className="text-ink-3">{t('never')}</span>
  )
}
