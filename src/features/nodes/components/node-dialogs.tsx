'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { KeyDialog, RotateForm } from '#features/keys/index.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useFieldText } from '#lib/use-fault-text.ts'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { DialogFrame } from '#ui/dialog-frame.tsx'
import { TextField } from '#ui/fields.tsx'
import { Form } from '#ui/form.tsx'
import type { NodeTask } from './node-menu.tsx'

type Props = { node: string; onClose: () => void }

/** The dialog of what was chosen in a node's menu. */
export function NodeDialog({ node, asked, onClose }: Props & { asked: NodeTask }) {
  const t = useTranslations('nodes')
  if (!('key' in asked)) {
    const Registration = asked.task === 'register' ? RegisterDialog : UnregisterDialog
    return <Registration node={node} onClose={onClose} />
  }
  const { task, key } = asked
  if (task === 'revoke') return <RevokeDialog node={node} keyId={key.key_id} onClose={onClose} />
  return (
    <KeyDialog open onClose={onClose} title={t('rotateTitle', { node })} description={t('rotateHint')}>
      {(made) => <RotateForm of={key} made={made} />}
    </KeyDialog>
  )
}

function useReadAgain() {
  const trpc = useTRPC()
  const queries = useQueryClient()
  return () =>
    Promise.all([
      queries.invalidateQueries(trpc.nodes.pathFilter()),
      queries.invalidateQueries(trpc.keys.pathFilter()),
    ])
}

function RevokeDialog({ node, keyId, onClose }: Props & { keyId: string }) {
  const t = useTranslations('nodes')
  const trpc = useTRPC()
  const again = useReadAgain()
  const revoke = useToastMutation(trpc.keys.revoke.mutationOptions({ onSuccess: again }), {
    done: () => t('revoked'),
  })
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t('revokeTitle', { node })}
      description={t('revokeHint', { node, id: keyId })}
      confirmLabel={t('revoke')}
      tone="danger"
      onConfirm={() => revoke.mutateAsync({ key_id: keyId })}
    />
  )
}

function UnregisterDialog({ node, onClose }: Props) {
  const t = useTranslations('nodes')
  const trpc = useTRPC()
  const again = useReadAgain()
  const remove = useToastMutation(trpc.nodes.unregister.mutationOptions({ onSuccess: again }), {
    done: () => t('unregistered'),
  })
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t('unregisterTitle', { node })}
      description={t('unregisterHint')}
      confirmLabel={t('unregister')}
      tone="danger"
      onConfirm={() => remove.mutateAsync({ node_id: node })}
    />
  )
}

function RegisterDialog({ node, onClose }: Props) {
  const t = useTranslations('nodes')
  const trpc = useTRPC()
  const again = useReadAgain()
  const fieldText = useFieldText()
  const [url, setUrl] = useState('')
  const [error, setError] = useState('')
  const register = useToastMutation(
    trpc.nodes.register.mutationOptions({
      onMutate: () => setError(''),
      onSuccess: () => {
        onClose()
        return again()
      },
    }),
    {
      done: () => t('registered'),
      onFault: (fault) => {
        const [field] = fault.fields
        if (fault.code === 'DUPLICATE_ENTRY') setError(t('alreadyRegistered'))
        else if (field) setError(fieldText(field))
        return fault.code === 'DUPLICATE_ENTRY' || field !== undefined
      },
    },
  )
  const submit = () => {
    if (url.trim() !== '' && !register.isPending) register.mutate({ node_id: node, url: url.trim() })
  }
  return (
    <DialogFrame open onClose={onClose} title={t('registerTitle', { node })} description={t('registerHint')}>
      <Form onSubmit={submit}>
        <TextField
          label={t('url')}
          hint={t('urlHint')}
          value={url}
          onChange={setUrl}
          error={error || undefined}
          maxLength={2_048}
          autoFocus
          required
          mono
        />
        <div className="mt-5 flex justify-end">
          <Button kind="primary" type="submit" busy={register.isPending} disabled={url.trim() === ''}>
            {t('register')}
          </Button>
        </div>
      </Form>
    </DialogFrame>
  )
}
