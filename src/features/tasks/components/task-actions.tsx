'use client'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { TaskView } from '#contracts/llm-task.contract.ts'
import { useAction } from '#lib/keyboard.tsx'
import { useRight } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { Confirm } from '#ui/confirm.tsx'
import { actionsOf, isDead, type TaskAction } from '../task-state.ts'

type Commands = { buttons: ReactNode; dialog: ReactNode }

const KEYS: Record<TaskAction, string> = { requeue: 'r', cancel: 'c' }

/** Requeue and cancel: what the machine allows now, each with its reason. */
export function useTaskActions(task: TaskView): Commands {
  const t = useTranslations('tasks')
  const no = useRight('task.operate')
  const [open, setOpen] = useState<TaskAction | null>(null)
  const allowed = actionsOf(task)
  const bind = (action: TaskAction) =>
    allowed.includes(action)
      ? {
          ...{ id: `tasks.${action}`, label: t(action), keys: KEYS[action], group: t('title') },
          run: () => setOpen(action),
          ...(no ? { disabledReason: no } : {}),
        }
      : null
  useAction(bind('requeue'))
  useAction(bind('cancel'))
  return {
    buttons: allowed.map((action) => (
      <Button
        key={action}
        kind={action === 'requeue' && isDead(task) ? 'primary' : 'secondary'}
        keys={KEYS[action]}
        disabledReason={no}
        onClick={() => setOpen(action)}
      >
        {t(action)}
      </Button>
    )),
    dialog: <ReasonDialog task={task} action={open} close={() => setOpen(null)} />,
  }
}

type DialogProps = { task: TaskView; action: TaskAction | null; close: () => void }

function ReasonDialog({ task, action, close }: DialogProps) {
  const t = useTranslations('tasks')
  const trpc = useTRPC()
  const queries = useQueryClient()
  const onSuccess = () => queries.invalidateQueries(trpc.tasks.pathFilter())
  // The dialog shows a refusal, and keeps the reason.
  const onFault = () => true
  const mutations = {
    requeue: useToastMutation(trpc.tasks.requeue.mutationOptions({ onSuccess }), {
      done: () => t('requeued'),
      onFault,
    }),
    cancel: useToastMutation(trpc.tasks.cancel.mutationOptions({ onSuccess }), {
      done: () => t('cancelled'),
      onFault,
    }),
  }
  const which = action ?? 'requeue'
  return (
    <Confirm
      open={action !== null}
      onClose={close}
      title={t(`${which}Title`)}
      description={t(`${which}Hint`)}
      confirmLabel={t(which)}
      {...(which === 'cancel' ? { dismissLabel: t('keep'), tone: 'danger' as const } : {})}
      reason={{ min: 3, max: 500 }}
      onConfirm={(reason) => mutations[which].mutateAsync({ id: task.id, reason })}
    />
  )
}
