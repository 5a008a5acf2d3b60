'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { SyncAction } from '#domain/membridge/sync.machine.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'

type Props = { node: string; project: string; action: SyncAction; onClose: () => void }

/** Asks a node for a push or a pull, with a reason. The control plane carries it out; the page reads how it ended. */
export function SyncDialog({ node, project, action, onClose }: Props) {
  const t = useTranslations('nodes')
  const trpc = useTRPC()
  const queries = useQueryClient()
  const sync = useToastMutation(
    trpc.membridge.sync.mutationOptions({
      onSuccess: () => queries.invalidateQueries(trpc.nodes.get.pathFilter()),
    }),
    {
      done: () => t(`syncRequested.${action}`),
      // The dialog shows it, and keeps the reason.
      onFault: () => true,
    },
  )
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t(`syncTitle.${action}`, { node })}
      description={t(`syncHint.${action}`, { project })}
      confirmLabel={t(`syncNow.${action}`)}
      reason={{ min: 3, max: 256 }}
      onConfirm={(reason) => sync.mutateAsync({ action, project, agent: node, reason })}
    />
  )
}
