'use client'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { signIn, useRefusalText } from '#features/auth/index.ts'
import { useSession } from '#lib/session.tsx'
import { settleSignIn, signInHref } from '#lib/sign-in-again.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { Button } from '#ui/button.tsx'
import { DialogFrame } from '#ui/dialog-frame.tsx'
import { TextField } from '#ui/fields.tsx'

/** Signing in again over the page, as the same person; then what was refused goes on. */
export function SignInDialog() {
  const t = useTranslations('shell')
  useSignedInElsewhere()
  return (
    <DialogFrame
      open
      onClose={() => settleSignIn(false)}
      title={t('signInAgain')}
      description={t('signInAgainText')}
      width="sm"
    >
      <Form />
    </DialogFrame>
  )
}

/** "operator:ann" signs in as "ann". */
const nameOf = (identity: string): string => identity.slice(identity.indexOf(':') + 1)

function Form() {
  const t = useTranslations('shell')
  const tu = useTranslations('ui')
  const refusalText = useRefusalText()
  const name = nameOf(useSession().identity)
  const [password, setPassword] = useState('')
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState<string | null>(null)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (busy || password === '') return
    setBusy(true)
    setFault(null)
    const answer = await signIn('password', { name, password })
    if (answer.ok) return settleSignIn(true)
    setBusy(false)
    setFault(refusalText(answer.code, answer.waitSeconds, t('wrongPassword')))
  }
  return (
    <form onSubmit={(event) => void submit(event)}>
      <input type="text" name="username" autoComplete="username" value={name} readOnly hidden />
      <p className="mb-3 text-ink-2">{t('signedInAs', { identity: name })}</p>
      <TextField
        label={t('password')}
        type="password"
        value={password}
        onChange={setPassword}
        autoComplete="current-password"
        autoFocus
      />
      {fault ? (
        <p role="alert" className="mt-3 text-failed">
          {fault}
        </p>
      ) : null}
      <div className="mt-5 flex flex-wrap items-center justify-end gap-2">
        <a href={signInHref()} className="mr-auto text-sm text-accent hover:underline">
          {t('signInOtherWay')}
        </a>
        <Button onClick={() => settleSignIn(false)}>{tu('cancel')}</Button>
        <Button kind="primary" type="submit" busy={busy} disabled={password === ''}>
          {t('continue')}
        </Button>
      </div>
    </form>
  )
}

/** Another tab may sign in first. As somebody else, this page is no longer theirs and is loaded anew. */
function useSignedInElsewhere(): void {
  const { identity } = useSession()
  const options = useTRPC().sessions.me.queryOptions(undefined, {
    staleTime: 0,
    refetchOnWindowFocus: 'always',
  })
  const { data, isFetchedAfterMount } = useQuery(options)
  const now = isFetchedAfterMount && data && data.role !== 'anonymous' ? data.identity : null
  useEffect(() => {
    if (now === identity) settleSignIn(true)
    else if (now) window.location.reload()
  }, [now, identity])
}
