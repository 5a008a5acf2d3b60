'use client'
import { type FormEvent, useCallback, useEffect, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ConsentAsked } from '#contracts/zone.contract.ts'
import { Button } from '#ui/button.tsx'
import { TextField } from '#ui/fields.tsx'
import { Link } from '#ui/link.tsx'
import { callApi } from '../api-client.ts'
import { useRefusalText } from '../refusal-text.ts'
import { takeToken } from '../safe-path.ts'
import '../messages.ts'
import { AuthError, AuthTitle } from './auth-title.tsx'
import { ZoneTerms } from './zone-terms.tsx'

type Secret = { code: string } | { token: string; zone_id: string } | { inside: true }

type Props = {
  /** The zone of the link; null where a code is typed without one. */
  zoneId: string | null
  /** New terms for a guest who is inside already. */
  terms: ConsentAsked | null
}

/** How a guest enters: the code or the link, then the terms, then the notes. */
export function ZonePage({ zoneId, terms }: Props) {
  const t = useTranslations('auth')
  const refusalText = useRefusalText()
  const [code, setCode] = useState('')
  const [asked, setAsked] = useState<{ terms: ConsentAsked; secret: Secret } | null>(
    terms && { terms, secret: { inside: true } },
  )
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState<string | null>(null)

  const enter = useCallback(
    async (secret: Secret, version?: number) => {
      setBusy(true)
      setFault(null)
      const consent = version === undefined ? {} : { consent_version: version }
      const answer =
        'inside' in secret
          ? await callApi<unknown>('POST', '/api/v1/zones/consent', consent)
          : await callApi<unknown>('POST', '/api/v1/zones/enter', {
              ...(zoneId ? { zone_id: zoneId } : {}),
              ...secret,
              ...consent,
            })
      if (answer.ok) return window.location.assign('/')
      setBusy(false)
      const { fault: refused, waitSeconds } = answer
      if (refused.code === 'ZONE_REVOKED' || refused.code === 'ZONE_EXPIRED') {
        return window.location.assign(`/signed-out?why=${refused.code}`)
      }
      if (refused.code === 'CONSENT_REQUIRED' && refused.details) {
        return setAsked({ terms: refused.details as ConsentAsked, secret })
      }
      setFault(refusalText(refused.code, waitSeconds, t('codeWrong')))
    },
    [zoneId, refusalText, t],
  )

  useEffect(() => {
    const exchange = () => {
      // What is taken is no longer in the address: each token is exchanged once.
      const token = takeToken()
      if (token === null || zoneId === null) return
      void enter({ token, zone_id: zoneId })
    }
    exchange()
    window.addEventListener('hashchange', exchange)
    return () => window.removeEventListener('hashchange', exchange)
  }, [zoneId, enter])

  if (asked) {
    return (
      <ZoneTerms
        terms={asked.terms}
        busy={busy}
        fault={fault}
        onAgree={() => void enter(asked.secret, asked.terms.policy_version)}
      />
    )
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!busy && code.trim()) void enter({ code: code.trim() })
  }
  return (
    <form onSubmit={submit} method="post">
      <AuthTitle title={t('enterZone')}>{t('enterZoneText')}</AuthTitle>
      <AuthError>{fault}</AuthError>
      <TextField
        label={t('code')}
        hint={t('codeHint')}
        value={code}
        onChange={setCode}
        maxLength={64}
        mono
        autoFocus
      />
      <Button type="submit" kind="primary" size="lg" className="mt-5 w-full" busy={busy}>
        {t('continue')}
      </Button>
      <p className="mt-5 text-center text-sm">
        <Link href="/sign-in">{t('haveAccount')}</Link>
      </p>
    </form>
  )
}
