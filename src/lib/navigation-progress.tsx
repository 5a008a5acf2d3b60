'use client'
import { useRouter } from 'next/navigation'
import { createContext, type ReactNode, useCallback, useContext, useState, useTransition } from 'react'

type Push = (href: string) => void

const PushContext = createContext<Push | null>(null)
const GoingToContext = createContext<string | null>(null)

/** Where navigations by key, menu and row begin, so that one that takes its time can be shown. Once per page, in the shell. */
export function NavigationProvider({ children }: { children: ReactNode }) {
  const router = useRouter()
  const [pending, start] = useTransition()
  const [href, setHref] = useState<string | null>(null)
  const push = useCallback(
    (to: string) => {
      setHref(to)
      start(() => router.push(to, { scroll: false }))
    },
    [router],
  )
  return (
    <PushContext value={push}>
      <GoingToContext value={pending ? href : null}>{children}</GoingToContext>
    </PushContext>
  )
}

/** Pushes an address, and shows that it is on its way where the shell is around. */
export function usePush(): Push {
  const router = useRouter()
  return useContext(PushContext) ?? ((href) => router.push(href, { scroll: false }))
}

/** The address that a key, a menu or a row leads to, until its page is there; null otherwise. */
export const useGoingTo = (): string | null => useContext(GoingToContext)
