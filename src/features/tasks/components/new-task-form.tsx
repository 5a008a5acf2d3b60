'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { OUTPUT_FORMATS } from '#domain/task/completion.rules.ts'
import type { Fault } from '#lib/fault.ts'
import { newId } from '#lib/new-id.ts'
import { toast } from '#lib/toasts.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useDraft } from '#lib/use-draft.ts'
import { useFieldText } from '#lib/use-fault-text.ts'
import { useGoOn } from '#lib/use-go-on.ts'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { DraftNote } from '#ui/draft-note.tsx'
import { SelectField, TextArea, TextField } from '#ui/fields.tsx'
import { Form } from '#ui/form.tsx'
import { taskHref } from '../input.ts'
import {
  ATTEMPTS,
  fieldOf,
  isReady,
  NEW_TASK,
  type NewTaskField,
  requestOf,
  TIMEOUT_SECONDS,
} from '../new-task-request.ts'

type Errors = Partial<Record<NewTaskField, string>>

/** Asks for the prompt, who answers it and within what limits; then the task opens. */
export function NewTaskForm({ close }: { close: () => void }) {
  const t = useTranslations('tasks')
  const draft = useDraft('task:new', NEW_TASK)
  const { create, errors } = useCreateTask(() => {
    draft.clear()
    close()
  })
  const ready = isReady(draft.values)
  const submit = () => {
    if (ready && !create.isPending) create.mutate(requestOf(draft.values))
  }
  const bind = (name: NewTaskField) => ({
    value: draft.values[name],
    onChange: (value: string) => draft.set(name, value),
    error: errors[name],
  })
  return (
    <Form onSubmit={submit}>
      <DraftNote draft={draft} />
      <TextField
        {...bind('agent')}
        label={t('agent')}
        hint={t('agentHint')}
        maxLength={64}
        autoFocus
        required
        mono
      />
      <TextField
        {...bind('context')}
        label={t('context')}
        hint={t('contextHint')}
        maxLength={256}
        required
        mono
      />
      <TextArea {...bind('prompt')} label={t('prompt')} rows={6} required />
      <SelectField
        {...bind('format')}
        label={t('format')}
        options={OUTPUT_FORMATS.map((format) => ({ value: format, label: t(`formats.${format}`) }))}
      />
      <TextField
        {...bind('timeout')}
        label={t('timeoutSeconds')}
        hint={t('between', TIMEOUT_SECONDS)}
        type="number"
        required
      />
      <TextField
        {...bind('attempts')}
        label={t('maxAttempts')}
        hint={t('between', ATTEMPTS)}
        type="number"
        required
      />
      <TextField
        {...bind('labels')}
        label={
          <>
            {t('requiredLabels')} <span className="ml-0.5 font-normal text-ink-3">{t('optional')}</span>
          </>
        }
        hint={t('requiredLabelsHint')}
        maxLength={1_000}
      />
      <div className="mt-5 flex justify-end">
        <Button kind="primary" type="submit" busy={create.isPending} disabled={!ready}>
          {t('createTask')}
        </Button>
      </div>
    </Form>
  )
}

/** The task that the key of a request has named before, where the server answers with it. */
function taskBefore({ code, details }: Fault): string | null {
  if (code !== 'DUPLICATE_ENTRY' || typeof details !== 'object' || details === null) return null
  return 'task_id' in details && typeof details.task_id === 'string' ? details.task_id : null
}

/**
 * The same form sent twice is the same task, also where the first answer was lost; with something else in it, it is another task from the next press on.
 * What is refused of a field is shown at it.
 */
function useCreateTask(onCreated: () => void) {
  const t = useTranslations('tasks')
  const trpc = useTRPC()
  const goOn = useGoOn()
  const fieldText = useFieldText()
  const [errors, setErrors] = useState<Errors>({})
  const [key, setKey] = useState(newId)
  const created = (id: string) => {
    onCreated()
    goOn.to(taskHref(id), t('newTaskDone'))
  }
  const create = useToastMutation(
    trpc.tasks.create.mutationOptions({
      onMutate: () => {
        goOn.begin()
        setErrors({})
      },
      onSuccess: ({ id }) => created(id),
    }),
    {
      onFault: (fault) => {
        const before = taskBefore(fault)
        if (before) {
          created(before)
          return true
        }
        if (fault.code === 'IDEMPOTENCY_MISMATCH') {
          setKey(newId())
          toast({ tone: 'failed', text: t('newTaskBefore') })
          return true
        }
        const found = fault.fields.flatMap((field) => {
          const name = fieldOf(field.field)
          return name ? [[name, fieldText(field)] as const] : []
        })
        setErrors(Object.fromEntries(found))
        return found.length > 0
      },
    },
  )
  type Request = ReturnType<typeof requestOf>
  const mutate = (request: Request) => create.mutate({ ...request, idempotency_key: key })
  return { create: { mutate, isPending: create.isPending }, errors }
}
