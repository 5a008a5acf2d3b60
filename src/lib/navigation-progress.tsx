'use client'
import { useRouter } from 'next/navigation'
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useState,
  useTransition,
} from 'react'

type Push = (href: string) => void

const PushContext = createContext<Push | null>(null)
const GoingToContext = createContext<string | null>(null)
const LateContext = createContext(false)
const CountLateContext = createContext<((by: 1 | -1) => void) | null>(null)

/** As long as `after-a-moment` keeps what is seen of it from flashing. */
const MOMENT_MS = 200

/** Where navigations by key, menu and row begin, so that one that takes its time can be shown. Once per page, in the shell. */
export function NavigationProvider({ children }: { children: ReactNode }) {
  const router = useRouter()
  const [pending, start] = useTransition()
  const [href, setHref] = useState<string | null>(null)
  const [late, setLate] = useState(0)
  const countLate = useCallback((by: 1 | -1) => setLate((count) => count + by), [])
  const push = useCallback(
    (to: string) => {
      setHref(to)
      start(() => router.push(to, { scroll: false }))
    },
    [router],
  )
  return (
    <PushContext value={push}>
      <GoingToContext value={pending ? href : null}>
        <CountLateContext value={countLate}>
          <LateContext value={late > 0}>{children}</LateContext>
        </CountLateContext>
      </GoingToContext>
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

/** Says, from a moment after this component appears until it goes, that a navigation is on its way. */
export function useOnItsWay(): void {
  const count = useContext(CountLateContext)
  useEffect(() => {
    if (!count) return
    let late = false
    const timer = setTimeout(() => {
      late = true
      count(1)
    }, MOMENT_MS)
    return () => {
      clearTimeout(timer)
      if (late) count(-1)
    }
  }, [count])
}

/** True while a navigation, of whatever kind, has been on its way for a moment. */
export const useIsLate = (): boolean => useContext(LateContext)
