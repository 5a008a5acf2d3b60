'use client'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl/react'
import type { ConsentAsked } from '#contracts/zone.contract.ts'
import { Button } from '#ui/button.tsx'
import { Checkbox } from '#ui/fields.tsx'
import '../messages.ts'
import { AuthError, AuthTitle } from './auth-title.tsx'

type Props = { terms: ConsentAsked; busy: boolean; fault: string | null; onAgree: () => void }

/** What a guest agrees to before anything is read. */
export function ZoneTerms({ terms, busy, fault, onAgree }: Props) {
  const t = useTranslations('auth')
  const format = useFormatter()
  const [agreed, setAgreed] = useState(false)
  const date = format.dateTime(new Date(terms.expires_at), { dateStyle: 'medium', timeStyle: 'short' })
  return (
    <form
      method="post"
      onSubmit={(event) => {
        event.preventDefault()
        if (agreed && !busy) onAgree()
      }}
    >
      <AuthTitle title={t('terms')}>{t('termsOf', { name: terms.name })}</AuthTitle>
      <AuthError>{fault}</AuthError>
      <section
        aria-label={t('termsOf', { name: terms.name })}
        className="mb-4 whitespace-pre-line rounded border border-line bg-sunken px-3 py-2 text-sm text-ink-2"
      >
        {terms.policy}
      </section>
      <p className="mb-3 text-sm text-ink-3">
        {t('accessEnds', { date })} {t('ownerSees')}
      </p>
      <Checkbox label={t('agree')} checked={agreed} onChange={setAgreed} />
      <Button type="submit" kind="primary" size="lg" className="mt-5 w-full" busy={busy} disabled={!agreed}>
        {t('enter')}
      </Button>
    </form>
  )
}
