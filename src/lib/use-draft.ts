'use client'
import { useState } from 'react'
import { useSession } from './session.tsx'
import { useHydrated } from './use-hydrated.ts'

/**
 * What is being written, kept in this tab until it is sent: a closed dialog, an ended session or a reload loses nothing. A draft
 * belongs to a page, a form on it and the reader who wrote it; signing out removes them all.
 */
const PREFIX = 'draft:'

type Fields = Readonly<Record<string, string>>
export type Draft<F extends Fields> = {
  values: F
  set: (name: keyof F & string, value: string) => void
  /** Forgets the draft: what was sent or is no longer wanted. */
  clear: () => void
  /** True when the form was opened with an earlier draft in it. */
  restored: boolean
}

/** `page`: the address that the draft belongs to, where the page may be on its way to another one. */
export function useDraft<F extends Fields>(form: string, initial: F, page = here()): Draft<F> {
  const { identity } = useSession()
  const [key] = useState(() => `${PREFIX}${identity}:${page}:${form}`)
  const [kept, setKept] = useState(() => ({
    values: { ...initial, ...read(key) },
    restored: read(key) !== null,
  }))
  const set = (name: keyof F & string, value: string) =>
    setKept((was) => {
      const values = { ...was.values, [name]: value }
      write(key, values)
      return { ...was, values }
    })
  const clear = () => {
    remove(key)
    setKept({ values: initial, restored: false })
  }
  // The server knows no draft: the first render of its page is without one.
  const isHydrated = useHydrated()
  const shown = isHydrated ? kept : { values: initial, restored: false }
  return { ...shown, set, clear }
}

const here = () => (typeof window === 'undefined' ? '' : window.location.pathname)

function read(key: string): Record<string, string> | null {
  try {
    return JSON.parse(window.sessionStorage.getItem(key) ?? 'null')
  } catch {
    return null
  }
}

/** Without room, or where the browser keeps nothing, writing goes on without a draft. */
function write(key: string, values: Fields): void {
  try {
    window.sessionStorage.setItem(key, JSON.stringify(values))
  } catch {}
}

function remove(key: string): void {
  try {
    window.sessionStorage.removeItem(key)
  } catch {}
}

/** Removes every draft of this tab. */
export function forgetDrafts(): void {
  try {
    const { sessionStorage } = window
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key)
  } catch {}
}
