'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { useAction } from '#lib/keyboard.tsx'
import { onDemand } from '#lib/on-demand.tsx'
import { useRight } from '#lib/session.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Icon } from '#ui/icon.tsx'

const NewTaskForm = onDemand(() => import('./new-task-form.tsx').then((m) => m.NewTaskForm))

/** The button that creates an LLM Task, with its form. */
export function NewTask() {
  const t = useTranslations('tasks')
  const no = useRight('task.submit')
  const [open, setOpen] = useState(false)
  useAction({
    id: 'tasks.new',
    label: t('newTask'),
    keys: 'n',
    group: t('title'),
    run: () => setOpen(true),
    ...(no ? { disabledReason: no } : {}),
  })
  return (
    <>
      <Button
        kind="primary"
        keys="n"
        icon={<Icon name="plus" className="size-4" />}
        disabledReason={no}
        onClick={() => setOpen(true)}
      >
        {t('newTask')}
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={t('newTask')} description={t('newTaskHint')}>
        <NewTaskForm close={() => setOpen(false)} />
      </Dialog>
    </>
  )
}
