'use client'
import { useSearchParams } from 'next/navigation'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { useFieldText } from '#lib/use-fault-text.ts'
import { Button } from '#ui/button.tsx'
import { TextField } from '#ui/fields.tsx'
import { Link } from '#ui/link.tsx'
import { NewPasswordFields, useNewPassword } from '#ui/new-password-fields.tsx'
import { call } from '../ask.ts'
import { useDoorText } from '../door-text.ts'
import { safePath } from '../safe-path.ts'
import '../messages.ts'
import { DoorFault, DoorTitle } from './door-title.tsx'

/** Setting the first password after the one-time link, or a new one in the place of the current. */
export function SetPasswordPage({ hasPassword }: { hasPassword: boolean }) {
  const t = useTranslations('door')
  const say = useDoorText()
  const fieldText = useFieldText()
  const to = safePath(useSearchParams().get('to'))
  const [current, setCurrent] = useState('')
  const entry = useNewPassword()
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState<string | null>(null)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (busy || !entry.ready) return
    setBusy(true)
    setFault(null)
    const body = { password: entry.password, ...(hasPassword ? { current } : {}) }
    const answer = await call<unknown>('POST', '/api/v1/auth/password', body)
    if (answer.ok) return window.location.assign(to)
    setBusy(false)
    const { code, message, fields } = answer.fault
    setFault(
      code === 'VALIDATION_FAILED'
        ? (fields[0] && fieldText(fields[0])) || message
        : code === 'FORBIDDEN'
          ? t('wrong')
          : say(code, answer.waitSeconds, message),
    )
  }
  return (
    <form onSubmit={(event) => void submit(event)} method="post">
      <DoorTitle title={t(hasPassword ? 'changePassword' : 'setPassword')}>
        {hasPassword ? null : t('setPasswordText')}
      </DoorTitle>
      <DoorFault>{fault}</DoorFault>
      {hasPassword ? (
        <TextField
          label={t('currentPassword')}
          type="password"
          value={current}
          onChange={setCurrent}
          autoComplete="current-password"
        />
      ) : null}
      <NewPasswordFields entry={entry} t={t} autoFocus />
      <Button
        type="submit"
        kind="primary"
        size="lg"
        className="mt-5 w-full"
        busy={busy}
        disabled={!entry.ready}
      >
        {t('save')}
      </Button>
      <p className="mt-5 text-center text-sm">
        <Link href={to}>{t('later')}</Link>
      </p>
    </form>
  )
}
