'use client'
import { useState } from 'react'
import { TextField } from './fields.tsx'

type Texts = 'newPassword' | 'newPasswordHint' | 'confirmPassword' | 'passwordsDiffer'

/** A new password while it is typed; `ready` once both fields hold the same. */
export function useNewPassword() {
  const [password, setPassword] = useState('')
  const [again, setAgain] = useState('')
  return { password, setPassword, again, setAgain, ready: password !== '' && password === again }
}

type Props = {
  entry: ReturnType<typeof useNewPassword>
  /** The room's own words. */
  t: (key: Texts) => string
  error?: string | undefined
  autoFocus?: boolean
}

/** The two fields of a new password. */
export function NewPasswordFields({ entry, t, error, autoFocus = false }: Props) {
  const differs = entry.again !== '' && entry.again !== entry.password
  return (
    <>
      <TextField
        label={t('newPassword')}
        hint={t('newPasswordHint')}
        error={error}
        type="password"
        value={entry.password}
        onChange={entry.setPassword}
        autoComplete="new-password"
        autoFocus={autoFocus}
      />
      <TextField
        label={t('confirmPassword')}
        error={differs ? t('passwordsDiffer') : undefined}
        type="password"
        value={entry.again}
        onChange={entry.setAgain}
        autoComplete="new-password"
      />
    </>
  )
}
