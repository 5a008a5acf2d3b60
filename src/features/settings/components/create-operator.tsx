'use client'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { useAction } from '#lib/keyboard.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useAct } from '#lib/use-act.ts'
import { useFieldText } from '#lib/use-fault-text.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { TextField } from '#ui/fields.tsx'
import { useReread } from '../use-reread.ts'

/** Makes an operator with a name and a first password, which is told to them by other means. */
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
        description={t('operatorMay')}
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
  const reread = useReread('accounts')
  const fieldText = useFieldText()
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({})
  const create = useAct(
    trpc.accounts.createOperator.mutationOptions({
      onSuccess: () => {
        done()
        return reread()
      },
    }),
    {
      done: () => t('operatorMade', { name: name.trim() }),
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
        label={t('firstPassword')}
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
