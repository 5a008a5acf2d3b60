'use client'
import { useTranslations } from 'use-intl/react'
import { Link } from '#ui/link.tsx'
import '../messages.ts'
import { AuthTitle } from './auth-title.tsx'

/** What a guest sees when access to the zone has ended, or after signing out. */
export function SignedOutPage({ why }: { why: 'ZONE_REVOKED' | 'ZONE_EXPIRED' | 'signedOut' }) {
  const t = useTranslations('auth')
  return (
    <>
      <AuthTitle title={t('accessEnded')}>{t(why)}</AuthTitle>
      <p className="flex justify-between gap-4 text-sm">
        <Link href="/zone">{t('otherCode')}</Link>
        <Link href="/sign-in">{t('haveAccount')}</Link>
      </p>
    </>
  )
}
