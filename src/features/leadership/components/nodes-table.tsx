'use client'
import { useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ProjectLeadership } from '#contracts/leadership-console.contract.ts'
import { aheadOfPointer } from '#domain/membridge/promotion.rules.ts'
import { PaletteAction } from '#lib/palette-action.tsx'
import { Button } from '#ui/button.tsx'
import { Count } from '#ui/count.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { columnsOf } from '#ui/data-table-columns.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { Id } from '#ui/id.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { RelativeTime } from '#ui/time.tsx'

type Node = ProjectLeadership['nodes'][number]
type Props = {
  project: ProjectLeadership
  disabledReason: string | undefined
  onPromote: (node: string) => void
}

/** Who is primary needs no promotion; a lease that is about to end is renewed by the page's own act. */
const isPrimary = ({ role }: Node): boolean => role === 'primary'

/** The nodes of a project: liveness, records against the last push, and the promotion of each. */
export function NodesTable(props: Props) {
  const t = useTranslations('leadership')
  const { project } = props
  return (
    <>
      {project.nodes
        .filter((node) => !isPrimary(node))
        .map((node) => (
          <PaletteAction
            key={node.node_id}
            id={`leadership.promote.${node.node_id}`}
            label={t('promoteNode', { node: node.node_id })}
            group={t('title')}
            disabledReason={props.disabledReason}
            run={() => props.onPromote(node.node_id)}
          />
        ))}
      <DataTable
        label={t('nodes')}
        columns={useNodeColumns(props)}
        rows={project.nodes}
        rowId={(node) => node.node_id}
        rowName={(node) => node.node_id}
        scope={`nodes ${project.as_of}`}
        empty={<EmptyState title={t('noNodes')}>{t('noNodesHint')}</EmptyState>}
      />
    </>
  )
}

function useNodeColumns({ project, disabledReason, onPromote }: Props) {
  const t = useTranslations('leadership')
  return useMemo(
    () =>
      columnsOf<Node>([
        {
          id: 'node',
          header: t('node'),
          width: 'w-full max-w-0',
          card: 'title',
          cell: (node) => (
            <span className="block min-w-0 py-(--row-pad)">
              <span className="block truncate font-medium" data-tip={node.node_id}>
                {node.node_id}
              </span>
              <Liveness node={node} />
            </span>
          ),
        },
        { id: 'role', header: t('role'), card: 'fact', cell: (node) => t(`roles.${node.role}`) },
        {
          id: 'records',
          header: t('observations'),
          card: 'fact',
          align: 'end',
          cell: (node) =>
            node.obs_count === null ? <Dim>{t('noCount')}</Dim> : <Count value={node.obs_count} />,
        },
        {
          id: 'against',
          header: t('against'),
          card: 'fact',
          cell: (node) => <Against project={project} node={node} />,
        },
        {
          id: 'sha',
          header: t('sha'),
          card: 'fact',
          cell: (node) => (node.db_sha ? <Id value={node.db_sha} /> : <Dim>{t('notKnown')}</Dim>),
        },
        {
          id: 'version',
          header: t('version'),
          card: 'fact',
          cell: (node) => <span className="text-sm text-ink-2">{node.agent_version ?? t('notKnown')}</span>,
        },
        {
          id: 'actions',
          header: t('actions'),
          align: 'end',
          card: 'corner',
          cell: (node) =>
            isPrimary(node) ? null : (
              <Button
                size="sm"
                aria-label={t('promoteNode', { node: node.node_id })}
                disabledReason={disabledReason}
                onClick={() => onPromote(node.node_id)}
              >
                {t('promote')}
              </Button>
            ),
        },
      ]),
    [t, project, disabledReason, onPromote],
  )
}

const Dim = ({ children }: { children: string }) => <span className="text-sm text-ink-3">{children}</span>

function Liveness({ node }: { node: Node }) {
  const t = useTranslations('leadership')
  return (
    <span className="flex flex-wrap items-center gap-x-2 text-sm text-ink-3">
      <StatusBadge tone={node.online ? 'done' : 'held'}>{t(node.online ? 'online' : 'offline')}</StatusBadge>
      <RelativeTime at={node.last_seen * 1_000} />
      {node.leadership_enabled ? null : <StatusBadge tone="waiting">{t('leadershipOff')}</StatusBadge>}
    </span>
  )
}

/** How a node stands against the last push, in records. */
function Against({ project, node }: { project: ProjectLeadership; node: Node }) {
  const t = useTranslations('leadership')
  const ahead = aheadOfPointer(project, node.obs_count)
  if (ahead === null) return <Dim>{t('notKnown')}</Dim>
  if (ahead === 0) return <Dim>{t('inStep')}</Dim>
  return (
    <span className="tabular text-sm text-waiting">
      {ahead > 0 ? t('aheadBy', { count: ahead }) : t('behindBy', { count: -ahead })}
    </span>
  )
}
