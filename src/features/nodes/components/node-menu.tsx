'use client'
import { lazy, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { FleetNode, NodeKey } from '#contracts/node.contract.ts'
import { may } from '#domain/authority/matrix.ts'
import { MAX_VALID_KEYS } from '#domain/machine-key/key-kinds.ts'
import { useSession } from '#lib/session.tsx'
import { DialogOnDemand } from '#ui/dialog-on-demand.tsx'
import { type ObjectCommand, ObjectMenu } from '#ui/object-menu.tsx'

const NodeDialog = lazy(() => import('./node-dialogs.tsx').then((m) => ({ default: m.NodeDialog })))

/** What is being done to a node; of two keys one is meant. */
export type NodeTask = { task: 'register' | 'unregister' } | { task: 'rotate' | 'revoke'; key: NodeKey }

/** What the owner may do with a node; nothing for anybody else. On the node's own page it is in the command menu as well. */
export function NodeMenu({ node, palette = false }: { node: FleetNode; palette?: boolean }) {
  const t = useTranslations('nodes')
  const { role } = useSession()
  const [asked, setAsked] = useState<NodeTask | null>(null)
  const items = useNodeTasks(node, setAsked)
  if (!may(role, 'node.manage')) return null
  return (
    <>
      <ObjectMenu
        label={t('actionsOf', { node: node.node_id })}
        items={items}
        palette={palette ? { room: 'nodes', group: t('title') } : null}
      />
      {asked ? (
        <DialogOnDemand onClose={() => setAsked(null)}>
          <NodeDialog node={node.node_id} asked={asked} onClose={() => setAsked(null)} />
        </DialogOnDemand>
      ) : null}
    </>
  )
}

function useNodeTasks({ agent, keys }: FleetNode, request: (task: NodeTask) => void): ObjectCommand[] {
  const t = useTranslations('nodes')
  const [newest] = keys
  const full = keys.length >= MAX_VALID_KEYS
  return [
    agent
      ? { id: 'unregister', label: t('unregister'), run: () => request({ task: 'unregister' }) }
      : { id: 'register', label: t('register'), run: () => request({ task: 'register' }) },
    ...(newest
      ? [
          {
            id: 'rotate',
            label: t('rotate'),
            run: () => request({ task: 'rotate', key: newest }),
            ...(full ? { disabledReason: t('twoAlready') } : {}),
          },
        ]
      : []),
    ...keys.map((key) => ({
      id: `revoke.${key.key_id}`,
      label: full ? t('revokeOne', { id: key.key_id.slice(0, 8) }) : t('revoke'),
      tone: 'danger' as const,
      run: () => request({ task: 'revoke', key }),
    })),
  ]
}
