'use client'
import { lazy, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { WorkerView } from '#contracts/llm-task.contract.ts'
import { may } from '#domain/authority/matrix.ts'
import { PaletteAction } from '#lib/palette-action.tsx'
import { useRight, useSession } from '#lib/session.tsx'
import { buttonClass } from '#ui/button-class.ts'
import { DialogOnDemand } from '#ui/dialog-on-demand.tsx'
import { Icon } from '#ui/icon.tsx'
import { Menu, type MenuItem } from '#ui/menu.tsx'
import { commandsOf, uselessBecause, type WorkerCommand } from '../worker-state.ts'

const WorkerDialog = lazy(() => import('./worker-dialogs.tsx').then((m) => ({ default: m.WorkerDialog })))

/** What an operator may do with a worker, and only the owner: remove it. On the worker's own page it is in the command menu as well. */
export function WorkerMenu({ worker, palette = false }: { worker: WorkerView; palette?: boolean }) {
  const t = useTranslations('workers')
  const { role } = useSession()
  const [chosen, setChosen] = useState<WorkerCommand | null>(null)
  const items = useCommands(worker, setChosen)
  if (!may(role, 'worker.operate')) return null
  return (
    <>
      {palette
        ? items.map(({ id, label, run, disabledReason }) => (
            <PaletteAction
              key={id}
              id={`workers.${id}`}
              label={label}
              group={t('title')}
              run={run}
              {...(disabledReason ? { disabledReason } : {})}
            />
          ))
        : null}
      <Menu
        label={t('actionsOf', { worker: worker.name })}
        className={buttonClass('quiet', 'sm')}
        items={items}
      >
        <Icon name="ellipsis" className="size-4" />
      </Menu>
      {chosen ? (
        <DialogOnDemand onClose={() => setChosen(null)}>
          <WorkerDialog worker={worker} command={chosen} onClose={() => setChosen(null)} />
        </DialogOnDemand>
      ) : null}
    </>
  )
}

type Item = Exclude<MenuItem, { heading: unknown }> & { label: string }

function useCommands(worker: WorkerView, choose: (command: WorkerCommand) => void): Item[] {
  const t = useTranslations('workers')
  const { role } = useSession()
  const no = useRight('worker.operate')
  return commandsOf(worker, may(role, 'worker.remove')).map((command) => {
    const useless = uselessBecause(command, worker)
    const disabledReason = no ?? (useless && t(useless))
    return {
      ...{ id: command, label: t(command), run: () => choose(command) },
      ...(disabledReason ? { disabledReason } : {}),
      ...(command === 'remove' || command === 'release' ? { tone: 'danger' as const } : {}),
    }
  })
}
