'use client'
import { useTranslations } from 'use-intl/react'
import type { Fault } from './fault.ts'
import './i18n/types.ts'

/** The sentence for a fault in the reader's language: by code, else the server's own, else "unexpected". */
export function useFaultText(): (fault: Fault) => string {
  const t = useTranslations('errors')
  return (fault) => {
    const key = fault.code as 'UNKNOWN'
    if (t.has(key) && fault.code !== 'UNKNOWN') return t(key)
    return fault.message || t('UNKNOWN')
  }
}
