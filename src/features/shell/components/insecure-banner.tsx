'use client'
import { useSyncExternalStore } from 'react'
import { useTranslations } from 'use-intl/react'

const never = () => () => undefined
/** Plain HTTP from another machine; the browser holds loopback and HTTPS secure. */
const isInsecure = () => !window.isSecureContext

/** Says that what is sent can be read on the way (`ALLOW_INSECURE_LAN`); empty where it cannot. */
export function InsecureBanner() {
  const t = useTranslations('shell')
  const insecure = useSyncExternalStore(never, isInsecure, () => false)
  return insecure ? (
    <p className="border-b border-waiting/40 bg-waiting-soft px-4 py-2 text-waiting md:px-8">
      {t('insecure')}
    </p>
  ) : null
}
