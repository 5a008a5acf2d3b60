'use client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { toFault } from '#lib/fault.ts'
import { settleStepUp } from '#lib/step-up.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useFaultText, useFieldText } from '#lib/use-fault-text.ts'
import { Button } from '#ui/button.tsx'
import { DialogFrame } from '#ui/dialog-frame.tsx'
import { TextField } from '#ui/fields.tsx'
import { NewPasswordFields, useNewPassword } from '#ui/new-password-fields.tsx'

/** Asks for the password, or for a first one if none is set; then the pending mutation continues. */
export function StepUpDialog() {
  const t = useTranslations('shell')
  const trpc = useTRPC()
  const me = useQuery(trpc.sessions.me.queryOptions(undefined, { staleTime: 0 }))
  const first = me.data?.has_password === false
  return (
    <DialogFrame
      open
      onClose={() => settleStepUp(false)}
      title={first ? t('firstPassword') : t('stepUp')}
      description={first ? t('firstPasswordText') : t('stepUpText')}
      width="sm"
    >
      {first ? <FirstPassword /> : <Again name={me.data?.name ?? ''} />}
    </DialogFrame>
  )
}

function Again({ name }: { name: string }) {
  const t = useTranslations('shell')
  const trpc = useTRPC()
  const [password, setPassword] = useState('')
  const stepUp = useMutation(trpc.sessions.stepUp.mutationOptions({ onSuccess: () => settleStepUp(true) }))
  return (
    <Form
      error={stepUp.error}
      wrong={t('wrongPassword')}
      busy={stepUp.isPending}
      ready={password !== ''}
      label={t('continue')}
      send={() => stepUp.mutate({ password })}
    >
      {/* For password managers, which keep passwords by name. */}
      <input type="text" name="username" autoComplete="username" value={name} readOnly hidden />
      <TextField
        label={t('password')}
        type="password"
        value={password}
        onChange={setPassword}
        autoComplete="current-password"
        autoFocus
      />
    </Form>
  )
}

function FirstPassword() {
  const t = useTranslations('shell')
  const trpc = useTRPC()
  const entry = useNewPassword()
  const queries = useQueryClient()
  const set = useMutation(
    trpc.sessions.setPassword.mutationOptions({
      onSuccess: () => {
        settleStepUp(true)
        return queries.invalidateQueries(trpc.sessions.pathFilter())
      },
    }),
  )
  return (
    <Form
      error={set.error}
      wrong={t('wrongPassword')}
      busy={set.isPending}
      ready={entry.ready}
      label={t('setPasswordAndContinue')}
      send={() => set.mutate({ password: entry.password })}
    >
      <NewPasswordFields entry={entry} t={t} autoFocus />
    </Form>
  )
}

type FormProps = {
  error: unknown
  wrong: string
  busy: boolean
  ready: boolean
  label: string
  send: () => void
  children: ReactNode
}

function Form({ error, wrong, busy, ready, label, send, children }: FormProps) {
  const t = useTranslations('ui')
  const text = useFaultText()
  const fieldText = useFieldText()
  const form = useRef<HTMLFormElement>(null)
  const fault = error ? toFault(error) : null
  // It can replace another form in an open dialog, so it takes the focus itself.
  useEffect(() => form.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus(), [])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (ready && !busy) send()
  }
  return (
    <form ref={form} onSubmit={submit}>
      {children}
      {fault ? (
        <p role="alert" className="mt-3 text-failed">
          {fault.code === 'FORBIDDEN' ? wrong : fault.fields[0] ? fieldText(fault.fields[0]) : text(fault)}
        </p>
      ) : null}
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <Button onClick={() => settleStepUp(false)}>{t('cancel')}</Button>
        <Button kind="primary" type="submit" busy={busy} disabled={!ready}>
          {label}
        </Button>
      </div>
    </form>
  )
}
