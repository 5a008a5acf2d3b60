'use client'
import { type UseMutationOptions, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { SavedView } from '#contracts/saved-view.contract.ts'
import { MAX_VIEW_NAME, MAX_VIEWS, type ViewList } from '#domain/view/saved-view.rules.ts'
import { type Fault, toFault } from '#lib/fault.ts'
import { useTRPC } from '#lib/trpc.tsx'
import type { Filters } from '#lib/url-state.ts'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { DialogFrame } from '#ui/dialog-frame.tsx'
import { TextField } from '#ui/fields.tsx'
import { Form } from '#ui/form.tsx'
import { givenFilters } from '../view-filters.ts'

export type AskedOfView = { what: 'save' } | { what: 'rename' | 'remove'; view: SavedView }
type Saving = { list: ViewList; filters: Filters; close: () => void }

/** What is asked before a view is saved, renamed or deleted. */
export function ViewDialog({ asked, ...saving }: Saving & { asked: AskedOfView }) {
  if (asked.what === 'save') return <SaveView {...saving} />
  const Asking = asked.what === 'rename' ? RenameView : RemoveView
  return <Asking view={asked.view} close={saving.close} />
}

/** Asks for the name under which the filters of the address are kept. */
function SaveView({ list, filters, close }: Saving) {
  const t = useTranslations('views')
  const trpc = useTRPC()
  const save = useNaming(trpc.views.save.mutationOptions(), close, (view) => t('saved', { name: view.name }))
  return (
    <DialogFrame open onClose={close} title={t('saveTitle')} description={t('saveHint')} width="sm">
      <NameForm
        button={t('saveButton')}
        start=""
        error={save.error}
        busy={save.isPending}
        submit={(name) => save.mutate({ list, name, filters: givenFilters(filters.values) })}
      />
    </DialogFrame>
  )
}

/** Asks for another name of a view. */
function RenameView({ view, close }: { view: SavedView; close: () => void }) {
  const t = useTranslations('views')
  const trpc = useTRPC()
  const rename = useNaming(trpc.views.rename.mutationOptions(), close, ({ name }) => t('renamed', { name }))
  return (
    <DialogFrame open onClose={close} title={t('renameTitle')} width="sm">
      <NameForm
        button={t('renameButton')}
        start={view.name}
        error={rename.error}
        busy={rename.isPending}
        submit={(name) => rename.mutate({ view_id: view.view_id, name })}
      />
    </DialogFrame>
  )
}

/** Asks before a view is deleted. */
function RemoveView({ view, close }: { view: SavedView; close: () => void }) {
  const t = useTranslations('views')
  const trpc = useTRPC()
  const queries = useQueryClient()
  const { name, view_id } = view
  const remove = useToastMutation(
    trpc.views.remove.mutationOptions({
      onSuccess: () => queries.invalidateQueries(trpc.views.pathFilter()),
    }),
    { done: () => t('removed', { name }), onFault: () => true },
  )
  return (
    <ConfirmDialog
      open
      onClose={close}
      title={t('removeTitle', { name })}
      description={t('removeHint')}
      confirmLabel={t('removeButton')}
      tone="danger"
      onConfirm={() => remove.mutateAsync({ view_id })}
    />
  )
}

/** A command that names a view: what is wrong with the name stays in the form, everything else is a toast. */
function useNaming<TError, TInput, TContext>(
  options: UseMutationOptions<SavedView, TError, TInput, TContext>,
  close: () => void,
  done: (view: SavedView) => string,
) {
  const t = useTranslations('views')
  const trpc = useTRPC()
  const queries = useQueryClient()
  const wordsOf = ({ code, fields }: Fault) => {
    if (code === 'LIMIT_EXCEEDED') return t('full', { max: MAX_VIEWS })
    const fault = fields.find(({ field }) => field === 'name')
    return fault && (fault.reason === 'name_taken' ? t('nameTaken') : fault.message)
  }
  const mutation = useToastMutation(
    {
      ...options,
      onSuccess: () => {
        close()
        return queries.invalidateQueries(trpc.views.pathFilter())
      },
    },
    { done, onFault: (fault) => wordsOf(fault) !== undefined },
  )
  return { ...mutation, error: mutation.error ? wordsOf(toFault(mutation.error)) : undefined }
}

type NameProps = {
  button: string
  start: string
  error: string | undefined
  busy: boolean
  submit: (name: string) => void
}

function NameForm({ button, start, error, busy, submit }: NameProps) {
  const t = useTranslations('views')
  const [name, setName] = useState(start)
  const ready = name.trim() !== ''
  return (
    <Form onSubmit={() => ready && !busy && submit(name.trim())}>
      <TextField
        label={t('name')}
        value={name}
        onChange={setName}
        maxLength={MAX_VIEW_NAME}
        autoFocus
        {...(error ? { error } : {})}
      />
      <div className="mt-5 flex justify-end">
        <Button kind="primary" type="submit" busy={busy} disabled={!ready}>
          {button}
        </Button>
      </div>
    </Form>
  )
}
