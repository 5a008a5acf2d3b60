'use client'
import { useEffect, useRef } from 'react'
import { useTranslations } from 'use-intl/react'
import { isStillAt } from './shown-path.ts'
import { toast } from './toasts.ts'
import { useGo } from './use-go.ts'

/**
 * What a command leads to, said by a toast when its answer comes. The page of what was made opens by itself only for a reader who still waits for it:
 * where the form was closed meanwhile, or the reader is on another page or on the way to one, the toast has a link to it.
 */
export function useGoOn() {
  const t = useTranslations('ui')
  const go = useGo()
  const isShown = useRef(false)
  const from = useRef<string | null>(null)
  useEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
    }
  }, [])
  return {
    /** Remembers where the reader is; called as the command is sent. */
    begin: (): void => {
      from.current = window.location.pathname
    },
    /** Says that it is done and leads to `href`, where it leads anywhere. */
    to: (href: string | null, text: string): void => {
      const waits = isShown.current && from.current !== null && isStillAt(from.current)
      toast({ tone: 'done', text, ...(href && !waits ? { link: { label: t('open'), href } } : {}) })
      if (href && waits) go(href)
    },
  }
}
