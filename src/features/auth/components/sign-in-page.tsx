'use client'
import { useSearchParams } from 'next/navigation'
import { type FormEvent, useEffect, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { Button } from '#ui/button.tsx'
import { TextField } from '#ui/fields.tsx'
import { Link } from '#ui/link.tsx'
import { signIn } from '../api-client.ts'
import { useRefusalText } from '../refusal-text.ts'
import { safePath, takeToken } from '../safe-path.ts'
import '../messages.ts'
import { AuthError, AuthTitle } from './auth-title.tsx'

/** Signing in with name and password (`expired`: because the session has ended), or by the one-time link whose token is in the fragment. */
export function SignInPage({ expired = false }: { expired?: boolean }) {
  const t = useTranslations('auth')
  const refusalText = useRefusalText()
  const to = safePath(useSearchParams().get('to'))
  const [name, setName] = useState('owner')
  const [password, setPassword] = useState('')
  const [busy, setBusy] = useState(false)
  const [byLink, setByLink] = useState(false)
  const [fault, setFault] = useState<string | null>(null)

  const enter = async (provider: 'password' | 'link', fields: Record<string, string>, next: string) => {
    setBusy(true)
    setFault(null)
    const answer = await signIn(provider, fields)
    if (answer.ok) return window.location.assign(next)
    setBusy(false)
    setByLink(false)
    setFault(
      refusalText(answer.code, answer.waitSeconds, provider === 'link' ? t('linkExpired') : t('wrong')),
    )
  }

  useEffect(() => {
    const exchange = () => {
      // What is taken is no longer in the address: each token is exchanged once.
      const token = takeToken()
      if (token === null) return
      setByLink(true)
      void enter('link', { token }, `/set-password?to=${encodeURIComponent(to)}`)
    }
    exchange()
    // Opening a link while this page is open changes only the fragment.
    window.addEventListener('hashchange', exchange)
    return () => window.removeEventListener('hashchange', exchange)
  })

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!busy) void enter('password', { name, password }, to)
  }
  if (byLink) return <p role="status">{t('openingLink')}</p>
  return (
    <form onSubmit={submit} method="post">
      <AuthTitle title={t('signIn')}>{expired ? t('expired') : null}</AuthTitle>
      <AuthError>{fault}</AuthError>
      <TextField
        label={t('name')}
        name="name"
        value={name}
        onChange={setName}
        autoComplete="username"
        maxLength={64}
      />
      <TextField
        label={t('password')}
        name="password"
        type="password"
        value={password}
        onChange={setPassword}
        autoComplete="current-password"
        maxLength={512}
        autoFocus
      />
      <Button type="submit" kind="primary" size="lg" className="mt-5 w-full" busy={busy}>
        {t('signInNow')}
      </Button>
      <p className="mt-5 text-center text-sm">
        <Link href="/zone">{t('haveCode')}</Link>
      </p>
    </form>
  )
}
