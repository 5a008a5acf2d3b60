'use client'
import { useRouter } from 'next/navigation'
import { useTranslations } from 'use-intl/react'
import { Button, buttonClass } from '#ui/button.tsx'
import { outsideAddress } from '../safe-path.ts'
import '../messages.ts'
import { DoorTitle } from './door-title.tsx'

/** Between a note and a foreign address: names the target before it is opened (contract page 09, section 9). */
export function LeavePage({ to }: { to: string }) {
  const t = useTranslations('door')
  const router = useRouter()
  const address = outsideAddress(to)
  return (
    <>
      <DoorTitle title={t('leave')}>{address ? t('leaveText') : t('leaveBad')}</DoorTitle>
      {address ? (
        <p className="mb-5 break-all rounded border border-line bg-sunken px-3 py-2 font-mono text-sm text-ink">
          {address.href}
        </p>
      ) : null}
      <p className="flex flex-wrap gap-2">
        {address ? (
          <a href={address.href} rel="noopener noreferrer" className={buttonClass('primary', 'lg')}>
            {t('leaveTo', { host: address.host || address.pathname })}
          </a>
        ) : null}
        <Button size="lg" onClick={() => (window.history.length > 1 ? router.back() : router.push('/'))}>
          {t('stay')}
        </Button>
      </p>
    </>
  )
}
