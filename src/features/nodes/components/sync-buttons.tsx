'use client'
import { lazy, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { FleetNode, NodeProject } from '#contracts/node.contract.ts'
import { SYNC_ACTIONS, type SyncAction } from '#domain/membridge/sync.machine.ts'
import { useRight } from '#lib/session.tsx'
import { Button } from '#ui/button.tsx'
import { DialogOnDemand } from '#ui/dialog-on-demand.tsx'

const SyncDialog = lazy(() => import('./sync-dialog.tsx').then((m) => ({ default: m.SyncDialog })))

/** Starts a push or a pull of one project of a node; says why where the control plane could not call the node. */
export function SyncButtons({ node, project }: { node: FleetNode; project: NodeProject }) {
  const t = useTranslations('nodes')
  const [asked, setAsked] = useState<SyncAction | null>(null)
  const whyNot = useWhyNot(node, project)
  const name = project.name ?? project.canonical_id
  return (
    <span className="inline-flex gap-2">
      {SYNC_ACTIONS.map((action) => (
        <Button
          key={action}
          size="sm"
          aria-label={t(`syncOf.${action}`, { project: name })}
          disabledReason={whyNot}
          onClick={() => setAsked(action)}
        >
          {t(`syncNow.${action}`)}
        </Button>
      ))}
      {asked ? (
        <DialogOnDemand onClose={() => setAsked(null)}>
          <SyncDialog node={node.node_id} project={name} action={asked} onClose={() => setAsked(null)} />
        </DialogOnDemand>
      ) : null}
    </span>
  )
}

function useWhyNot({ agent }: FleetNode, project: NodeProject): string | undefined {
  const t = useTranslations('nodes')
  const no = useRight('membridge.sync')
  if (no) return no
  if (agent === null) return t('needsAgent')
  if (agent.url === null) return t('needsAddress')
  return project.name === null ? t('needsName') : undefined
}
