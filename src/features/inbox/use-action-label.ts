'use client'
import { useTranslations } from 'use-intl/react'
import './messages.ts'

/** The label of an intent's action; an action without one is shown by its code. */
export function useActionLabel(): (action: string) => string {
  const t = useTranslations('inbox')
  return (action) => {
    const key = `actions.${action as 'propose-edit'}` as const
    return t.has(key) ? t(key) : action
  }
}
