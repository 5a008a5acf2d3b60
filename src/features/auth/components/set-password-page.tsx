'use client'
import { useSearchParams } from 'next/navigation'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { useFieldText } from '#lib/use-fault-text.ts'
import { Button } from '#ui/button.tsx'
import { TextField } from '#ui/fields.tsx'
import { Link } from '#ui/link.tsx'
import { NewPasswordFields, useNewPassword } from '#ui/new-password-fields.tsx'
import { callApi } from '../api-client.ts'
import { useRefusalText } from '../refusal-text.ts'
import { safePath } from '../safe-path.ts'
import '../messages.ts'
import { AuthError, AuthTitle } from './auth-title.tsx'

/** Set a password after signing in by the one-time link, or change it. */
export function SetPasswordPage({ hasPassword }: { hasPassword: boolean }) {
  const t = useTranslations('auth')
  const refusalText = useRefusalText()
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
    const answer = await callApi<unknown>('POST', '/api/v1/auth/password', body)
    if (answer.ok) return window.location.assign(to)
    setBusy(false)
    const { code, message, fields } = answer.fault
    setFault(
      code === 'VALIDATION_FAILED'
        ? (fields[0] && fieldText(fields[0])) || message
        : code === 'FORBIDDEN'
          ? t('wrong')
          : refusalText(code, answer.waitSeconds, message),
    )
  }
  return (
    <form onSubmit={(event) => void submit(event)} method="post">
      <AuthTitle title={t(hasPassword ? 'changePassword' : 'setPassword')}>
        {hasPassword ? null : t('setPasswordText')}
      </AuthTitle>
      <AuthError>{fault}</AuthError>
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
