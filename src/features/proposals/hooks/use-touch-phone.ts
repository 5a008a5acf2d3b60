'use client'
import { useSyncExternalStore } from 'react'

/** A finger on a narrow screen: where one proposal fills it, and the tab bar gives way to its acts. */
const QUERY = '(pointer: coarse) and (width < 52rem)'

const subscribe = (changed: () => void) => {
  const query = window.matchMedia(QUERY)
  query.addEventListener('change', changed)
  return () => query.removeEventListener('change', changed)
}

/** False until the page has come to life: nothing of the first paint hangs on it. */
export const useTouchPhone = (): boolean =>
  useSyncExternalStore(
    subscribe,
    () => window.matchMedia(QUERY).matches,
    () => false,
  )
