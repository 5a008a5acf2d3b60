'use client'
import { useRouter } from 'next/navigation'
import { useTranslations } from 'use-intl/react'
import { Button } from '#ui/button.tsx'
import { buttonClass } from '#ui/button-class.ts'
import { outsideAddress } from '../safe-path.ts'
import '../messages.ts'
import { AuthTitle } from './auth-title.tsx'

/** External-link interstitial: names the target before it is opened. */
export function ExternalLinkPage({ to }: { to: string }) {
  const t = useTranslations('auth')
  const router = useRouter()
  const address = outsideAddress(to)
  return (
    <>
      <AuthTitle title={t('externalLink')}>
        {address ? t('externalLinkText') : t('externalLinkInvalid')}
      </AuthTitle>
      {address ? (
        <p className="mb-5 break-all rounded border border-line bg-sunken px-3 py-2 font-mono text-sm text-ink">
          {address.href}
        </p>
      ) : null}
      <p className="flex flex-wrap gap-2">
        {address ? (
          <a href={address.href} rel="noopener noreferrer" className={buttonClass('primary', 'lg')}>
            {t('externalLinkOpen', { host: address.host || address.pathname })}
          </a>
        ) : null}
        <Button size="lg" onClick={() => (window.history.length > 1 ? router.back() : router.push('/'))}>
          {t('goBack')}
        </Button>
      </p>
    </>
  )
}
