'use client'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { useTRPC } from '#lib/trpc.tsx'
import { useFieldText } from '#lib/use-fault-text.ts'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { TextField } from '#ui/fields.tsx'
import { NewPasswordFields, useNewPassword } from '#ui/new-password-fields.tsx'
import { Section } from '#ui/section.tsx'
import { useInvalidate } from '../use-invalidate.ts'

/** The reader's own password: set it or change it. */
export function PasswordSection() {
  const t = useTranslations('settings')
  const trpc = useTRPC()
  const me = useQuery(trpc.sessions.me.queryOptions())
  const [open, setOpen] = useState(false)
  const close = () => setOpen(false)
  if (!me.data) return null
  const has = me.data.has_password
  return (
    <Section
      title={t('password')}
      hint={t(has ? 'passwordSet' : 'passwordMissing')}
      actions={
        <Button kind={has ? 'secondary' : 'primary'} onClick={() => setOpen(true)}>
          {t(has ? 'changePassword' : 'setPassword')}
        </Button>
      }
    >
      <Dialog
        open={open}
        onClose={close}
        title={t(has ? 'changePassword' : 'setPassword')}
        description={t('passwordEffect')}
        width="sm"
      >
        <PasswordForm has={has} done={close} />
      </Dialog>
    </Section>
  )
}

function PasswordForm({ has, done }: { has: boolean; done: () => void }) {
  const t = useTranslations('settings')
  const trpc = useTRPC()
  const invalidate = useInvalidate('sessions')
  const fieldText = useFieldText()
  const saved = () => {
    done()
    return invalidate()
  }
  const [current, setCurrent] = useState('')
  const entry = useNewPassword()
  const [faults, setFaults] = useState<{ current?: string; password?: string }>({})
  const save = useToastMutation(trpc.sessions.setPassword.mutationOptions({ onSuccess: saved }), {
    done: ({ ended_sessions }) => t('passwordSaved', { count: ended_sessions }),
    onFault: (fault) => {
      if (fault.code === 'FORBIDDEN') setFaults({ current: t('wrongPassword') })
      else if (fault.fields[0]) setFaults({ password: fieldText(fault.fields[0]) })
      else return false
      return true
    },
  })
  const ready = entry.ready && (!has || current !== '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!ready || save.isPending) return
    setFaults({})
    save.mutate({ password: entry.password, ...(has ? { current } : {}) })
  }
  return (
    <form onSubmit={submit}>
      {has ? (
        <TextField
          label={t('currentPassword')}
          type="password"
          value={current}
          onChange={setCurrent}
          error={faults.current}
          autoComplete="current-password"
          autoFocus
        />
      ) : null}
      <NewPasswordFields entry={entry} t={t} error={faults.password} autoFocus={!has} />
      <div className="mt-5 flex justify-end">
        <Button kind="primary" type="submit" busy={save.isPending} disabled={!ready}>
          {t('savePassword')}
        </Button>
      </div>
    </form>
  )
}
