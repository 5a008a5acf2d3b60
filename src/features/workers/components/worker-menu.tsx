'use client'
import { lazy, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { WorkerView } from '#contracts/worker.contract.ts'
import { may } from '#domain/authority/matrix.ts'
import { useRight, useSession } from '#lib/session.tsx'
import { DialogOnDemand } from '#ui/dialog-on-demand.tsx'
import { type ObjectCommand, ObjectMenu } from '#ui/object-menu.tsx'
import { commandsOf, isDangerous, uselessBecause, type WorkerCommand } from '../worker-state.ts'

const WorkerDialog = lazy(() => import('./worker-dialogs.tsx').then((m) => ({ default: m.WorkerDialog })))

/** What may be done with a worker, by role. On the worker's own page it is in the command menu as well. */
export function WorkerMenu({ worker, palette = false }: { worker: WorkerView; palette?: boolean }) {
  const t = useTranslations('workers')
  const { role } = useSession()
  const [chosen, setChosen] = useState<WorkerCommand | null>(null)
  const items = useCommands(worker, setChosen)
  if (!may(role, 'worker.operate')) return null
  return (
    <>
      <ObjectMenu
        label={t('actionsOf', { worker: worker.name })}
        items={items}
        palette={palette ? { room: 'workers', group: t('title') } : null}
      />
      {chosen ? (
        <DialogOnDemand onClose={() => setChosen(null)}>
          <WorkerDialog worker={worker} command={chosen} onClose={() => setChosen(null)} />
        </DialogOnDemand>
      ) : null}
    </>
  )
}

function useCommands(worker: WorkerView, choose: (command: WorkerCommand) => void): ObjectCommand[] {
  const t = useTranslations('workers')
  const { role } = useSession()
  // What the role may not do is not offered; without a connection nothing can be done.
  const no = useRight('worker.operate')
  return commandsOf(worker, role).map((command) => {
    const useless = uselessBecause(command, worker)
    const disabledReason = no ?? (useless && t(useless))
    return {
      ...{ id: command, label: t(command), run: () => choose(command) },
      ...(disabledReason ? { disabledReason } : {}),
      ...(isDangerous(command) ? { tone: 'danger' as const } : {}),
    }
  })
}
