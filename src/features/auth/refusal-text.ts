'use client'
import { useTranslations } from 'use-intl/react'
import './messages.ts'

/** The message for a refused sign-in or zone code; `wrong` is the page's own message for wrong credentials. */
export function useRefusalText(): (code: string, waitSeconds: number, wrong: string) => string {
  const t = useTranslations('auth')
  const te = useTranslations('errors')
  return (code, waitSeconds, wrong) => {
    if (code === 'RATE_LIMITED') return t('wait', { minutes: Math.max(1, Math.ceil(waitSeconds / 60)) })
    if (
      [
        'AUTH_REQUIRED',
        'BAD_REQUEST',
        'CredentialsSignin',
        'ZONE_CODE_INVALID',
        'VALIDATION_FAILED',
      ].includes(code)
    ) {
      return wrong
    }
    if (code === 'ZONE_REVOKED' || code === 'ZONE_EXPIRED') return t(code)
    const key = code as 'UNKNOWN'
    return te.has(key) ? te(key) : te('UNKNOWN')
  }
}
