'use client'
import { useSyncExternalStore } from 'react'

/** False on the server and while its HTML is taken over: what the browser alone knows is not known before. */
export const useHydrated = () => useSyncExternalStore(never, isHere, isNotHere)

const never = () => () => undefined
const isHere = () => true
const isNotHere = () => false
