'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { AgentCommand } from '#contracts/runtime-settings.contract.ts'
import type { WorkerView } from '#contracts/worker.contract.ts'
import { isStillAt } from '#lib/shown-path.ts'
import { useGo } from '#lib/use-go.ts'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { Checkbox, TextField } from '#ui/fields.tsx'
import { isDangerous, type WorkerCommand } from '../worker-state.ts'
import { useWorkerCommands } from './use-worker-commands.ts'

type Props = { worker: WorkerView; onClose: () => void }
const REASON = { min: 3, max: 500 }

/** The dialog of what was chosen in a worker's menu; each asks for a reason. */
export function WorkerDialog({ command, ...props }: Props & { command: WorkerCommand }) {
  if (command === 'remove') return <RemoveDialog {...props} />
  if (command === 'correct') return <AddressDialog {...props} />
  return <PlainDialog {...props} command={command} />
}

type PlainCommand = Exclude<WorkerCommand, 'remove' | 'correct'>

/** Drains, resumes, takes tasks away, resets the breaker or commands the agent. */
function PlainDialog({ worker, command, onClose }: Props & { command: PlainCommand }) {
  const t = useTranslations('workers')
  const commands = useWorkerCommands()
  const { id, name } = worker
  const agent = (command: AgentCommand) => (reason: string) =>
    commands.agent.mutateAsync({ id, command, reason })
  const send: Record<PlainCommand, (reason: string) => Promise<unknown>> = {
    drain: (reason) => commands.drain.mutateAsync({ id, drain: true, reason }),
    resume: (reason) => commands.drain.mutateAsync({ id, drain: false, reason }),
    release: (reason) => commands.release.mutateAsync({ id, reason }),
    reset: (reason) => commands.reset.mutateAsync({ id, reason }),
    restartAgent: agent('restart'),
    updateAgent: agent('update'),
    uninstallAgent: agent('uninstall'),
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t(`${command}Title`, { worker: name })}
      description={t(`${command}Hint`, { count: worker.active_leases })}
      confirmLabel={t(command)}
      {...(isDangerous(command) ? { tone: 'danger' as const } : {})}
      reason={REASON}
      onConfirm={send[command]}
    />
  )
}

function AddressDialog({ worker, onClose }: Props) {
  const t = useTranslations('workers')
  const { correct } = useWorkerCommands()
  const [url, setUrl] = useState(worker.url ?? '')
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t('correctTitle', { worker: worker.name })}
      description={t('correctHint')}
      confirmLabel={t('correct')}
      reason={REASON}
      onConfirm={(reason) => correct.mutateAsync({ id: worker.id, url: url.trim() || null, reason })}
    >
      <TextField
        label={t('addressField')}
        hint={t('addressExample')}
        value={url}
        onChange={setUrl}
        maxLength={2_048}
        mono
      />
      <div className="mt-3" />
    </ConfirmDialog>
  )
}

/** Removes a worker. One that has leases is removed only together with them. */
function RemoveDialog({ worker, onClose }: Props) {
  const t = useTranslations('workers')
  const go = useGo()
  const { remove } = useWorkerCommands()
  const [force, setForce] = useState(false)
  const { id, name, active_leases: count } = worker
  const isBusy = count > 0
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t('removeTitle', { worker: name })}
      description={t('removeHint')}
      confirmLabel={t('remove')}
      tone="danger"
      reason={REASON}
      disabledReason={isBusy && !force ? t('forceMissing') : undefined}
      onConfirm={async (reason) => {
        await remove.mutateAsync({ id, force: isBusy && force, reason })
        // Its page has nothing to show any more; from the list, or after going on, nobody is led anywhere.
        if (isStillAt(`/workers/${id}`)) go('/workers')
      }}
    >
      {isBusy ? <Checkbox label={t('force', { count })} checked={force} onChange={setForce} /> : null}
      <div className="mt-3" />
    </ConfirmDialog>
  )
}
