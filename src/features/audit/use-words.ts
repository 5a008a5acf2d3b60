'use client'
import { useTranslations } from 'use-intl/react'
import './messages.ts'

/** The word for a kind of object, a role or a channel; one without is shown by its code. */
export function useWords() {
  const t = useTranslations('audit')
  const word = (group: 'types' | 'roles' | 'channels') => (code: string) => {
    const key = `${group}.${code}` as 'types.job'
    return t.has(key) ? t(key) : code
  }
  return { type: word('types'), role: word('roles'), channel: word('channels') }
}
