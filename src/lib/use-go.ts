'use client'
import { useEffect } from 'react'
import { useTranslations } from 'use-intl/react'
import { isOffline } from './fault.ts'
import { usePush } from './navigation-progress.tsx'
import { toast } from './toasts.ts'

/**
 * Going to another page of the console. Without a network the framework would fall back to a navigation of the browser, whose error
 * page ends the console; so the page that is open stays, and says why.
 */
export function useGo(): (href: string) => void {
  const push = usePush()
  const refuse = useOfflineRefusal()
  return (href) => {
    if (!refuse()) push(href)
  }
}

/** Says that a page needs the network, when there is none; true then. */
export function useOfflineRefusal(): () => boolean {
  const t = useTranslations('ui')
  return () => {
    if (!isOffline()) return false
    toast({ tone: 'held', text: t('offlinePage') })
    return true
  }
}

/** Keeps every link of the console from leaving the page while there is no network. Once per page, in the shell. */
export function useOfflineLinks(): void {
  const refuse = useOfflineRefusal()
  useEffect(() => {
    const onClick = (event: MouseEvent) => {
      if (!leavesPage(event) || !refuse()) return
      event.preventDefault()
      event.stopPropagation()
    }
    // Before the framework sees the click.
    document.addEventListener('click', onClick, true)
    return () => document.removeEventListener('click', onClick, true)
  })
}

/** True when the click opens another page in this tab; what opens beside its list does not. */
function leavesPage(event: MouseEvent): boolean {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return false
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (!link?.href || link.target === '_blank' || link.dataset.beside !== undefined) return false
  return !link.getAttribute('href')?.startsWith('#')
}
