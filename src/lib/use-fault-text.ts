'use client'
import { useTranslations } from 'use-intl/react'
import type { Fault, FieldFault } from './fault.ts'
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

/** The sentence for a fault of one field: by its reason in the reader's language, else the server's own. */
export function useFieldText(): (field: FieldFault) => string {
  const t = useTranslations('errors')
  return ({ reason, message }) => {
    const key = reason as 'too_short'
    return reason && t.has(key) ? t(key) : message
  }
}
