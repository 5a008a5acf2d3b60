'use client'
import { useTranslations } from 'use-intl/react'
import { Link } from '#ui/link.tsx'
import '../messages.ts'
import { DoorTitle } from './door-title.tsx'

/** What a guest sees when the zone has ended, or after leaving. */
export function FarewellPage({ why }: { why: 'ZONE_REVOKED' | 'ZONE_EXPIRED' | 'left' }) {
  const t = useTranslations('door')
  return (
    <>
      <DoorTitle title={t('farewell')}>{t(why)}</DoorTitle>
      <p className="flex justify-between gap-4 text-sm">
        <Link href="/zone">{t('otherCode')}</Link>
        <Link href="/sign-in">{t('haveAccount')}</Link>
      </p>
    </>
  )
}
