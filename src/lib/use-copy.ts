import { useTranslations } from 'use-intl/react'
import { toast } from './toasts.ts'

/** Copies a text, then runs `done`. Without a clipboard, or with one that refuses (plain HTTP on the network), the reader is told what to do instead. */
export function useCopy(): (text: string, done: () => void) => void {
  const t = useTranslations('ui')
  return (text, done) => {
    const refused = () => void toast({ tone: 'held', text: t('copyRefused') })
    if (!navigator.clipboard) return refused()
    void navigator.clipboard.writeText(text).then(done, refused)
  }
}
