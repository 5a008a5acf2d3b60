'use client'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { useAction } from '#lib/keyboard.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useFieldText } from '#lib/use-fault-text.ts'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { TextField } from '#ui/fields.tsx'
import { useInvalidate } from '../use-invalidate.ts'

/** Adds an operator with a name and an initial password, which is shared with them by other means. */
export function CreateOperator() {
  const t = useTranslations('settings')
  const [open, setOpen] = useState(false)
  const show = () => setOpen(true)
  const close = () => setOpen(false)
  useAction({ id: 'settings.operator', label: t('createOperator'), keys: 'n', group: t('title'), run: show })
  return (
    <>
      <Button keys="n" onClick={show}>
        {t('createOperator')}
      </Button>
      <Dialog
        open={open}
        onClose={close}
        title={t('createOperator')}
        description={t('operatorHint')}
        width="sm"
      >
        <OperatorForm done={close} />
      </Dialog>
    </>
  )
}

function OperatorForm({ done }: { done: () => void }) {
  const t = useTranslations('settings')
  const trpc = useTRPC()
  const invalidate = useInvalidate('accounts')
  const fieldText = useFieldText()
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({})
  const create = useToastMutation(
    trpc.accounts.createOperator.mutationOptions({
      onSuccess: () => {
        done()
        return invalidate()
      },
    }),
    {
      done: () => t('operatorAdded', { name: name.trim() }),
      onFault: (fault) => {
        setFaults(
          Object.fromEntries(
            fault.fields.map((f) => [
              f.field,
              f.field === 'name' && f.message.startsWith('use ') ? t('nameHint') : fieldText(f),
            ]),
          ),
        )
        return fault.fields.length > 0
      },
    },
  )
  const ready = name.trim() !== '' && password !== ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!ready || create.isPending) return
    setFaults({})
    create.mutate({ name: name.trim(), password })
  }
  return (
    <form onSubmit={submit}>
      <TextField
        label={t('name')}
        hint={t('nameHint')}
        value={name}
        onChange={setName}
        error={faults.name}
        maxLength={40}
        autoFocus
        mono
      />
      <TextField
        label={t('initialPassword')}
        hint={t('newPasswordHint')}
        type="password"
        value={password}
        onChange={setPassword}
        error={faults.password}
        autoComplete="new-password"
      />
      <div className="mt-5 flex justify-end">
        <Button kind="primary" type="submit" busy={create.isPending} disabled={!ready}>
          {t('createOperator')}
        </Button>
      </div>
    </form>
  )
}
