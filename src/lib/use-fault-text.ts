'use client'
import { useTranslations } from 'use-intl/react'
import type { ErrorCode } from '#domain/kernel/errors.ts'
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

/** The sentence for a code of the product; null for one that the console does not know. */
export function useCodeText(): (code: string) => string | null {
  const t = useTranslations('errors')
  return (code) => {
    const key = code as 'UNKNOWN'
    return t.has(key) ? t(key) : null
  }
}

/** Codes whose sentence leaves open what exactly is wrong; the server's own says so, in English. */
const PARTICULAR: ReadonlySet<string> = new Set<ErrorCode>([
  'BAD_REQUEST',
  'VALIDATION_FAILED',
  'PATH_NOT_ALLOWED',
  'DIFF_INVALID',
  'LIMIT_EXCEEDED',
  'MODEL_UNAVAILABLE',
  'SAFE_OUTPUT_VIOLATION',
  'INVALID_AGENT_TRANSITION',
  'NODE_NOT_CALLABLE',
])

/** What exactly is wrong, as the server reported it, to be shown below the sentence; '' where the sentence says everything. */
export function faultDetail({ code, message, fields: [field] }: Fault): string {
  if (!PARTICULAR.has(code) || field?.reason) return ''
  return field ? `${field.field}: ${field.message}` : message
}

/** The sentence for a fault of one field: by its reason in the reader's language, else the server's own. */
export function useFieldText(): (field: FieldFault) => string {
  const t = useTranslations('errors')
  return ({ reason, message }) => {
    const key = reason as 'too_short'
    return reason && t.has(key) ? t(key) : message
  }
}
