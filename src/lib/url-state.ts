'use client'
import { usePathname, useSearchParams } from 'next/navigation'
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react'

/**
 * The state of a list in the URL: filters, sorting, the open object, so that a view can be shared and Back works.
 *
 * A change is written to the browser's history at once, without asking the server. The framework takes it over in a transition, which a control must
 * not wait for; until then all that read the URL here read what was written.
 */
export type Filters = {
  values: Readonly<Record<string, string | null>>
  /** A change is a step that Back undoes; what is `typed` in one field is one step however long one types, until it is left. */
  set: (change: Change, how?: 'typed') => void
  /** A field was left: what is typed from now on is another step. */
  settle: () => void
  clear: () => void
  /** True when any filter is on. */
  active: boolean
  /** The filters as one string: the `scope` of a DataTable. */
  scope: string
}

type Change = Record<string, string | null>

const NOTHING_TYPED = { field: '', address: '' }

/** Filters of these names in the URL, each a string or absent. */
export function useFilters(names: readonly string[]): Filters {
  const { query, write } = useQueryString()
  const scope = JSON.stringify(Object.fromEntries(names.map((name) => [name, query.get(name)])))
  const values = useMemo<Filters['values']>(() => JSON.parse(scope), [scope])
  // Typing goes on where the address is still what typing in the same field made of it, and the field was not left since.
  const typed = useRef(NOTHING_TYPED)
  const set: Filters['set'] = (change, how) => {
    const field = how === 'typed' ? Object.keys(change).join(' ') : ''
    const before = typed.current
    const goesOn = field !== '' && before.field === field && before.address === location.href
    if (write(change, goesOn ? 'replaceState' : 'pushState'))
      typed.current = { field, address: location.href }
  }
  return {
    values,
    set,
    settle: () => {
      typed.current = NOTHING_TYPED
    },
    clear: () => set(Object.fromEntries(names.map((name) => [name, null]))),
    active: Object.values(values).some((value) => value !== null && value !== ''),
    scope,
  }
}

/** One value in the URL (a tab, a window of time), with a default that is not written. A change is a step that Back undoes. */
export function useUrlValue(name: string, fallback: string): readonly [string, (value: string) => void] {
  const { query, write } = useQueryString()
  const set = (value: string) => {
    write({ [name]: value === fallback ? null : value }, 'pushState')
  }
  return [query.get(name) ?? fallback, set]
}

/**
 * What was written and is not yet taken over by the framework: for the page it was written on, also where that changes its path, and only while the
 * browser's address says the same. Whoever went back or elsewhere meanwhile meets nothing of it.
 */
type Ahead = { query: URLSearchParams; search: string; paths: readonly string[] }

let ahead: Ahead | null = null
const readers = new Set<() => void>()

function setAhead(next: Ahead | null): void {
  ahead = next
  for (const read of readers) read()
}

/** Going back before the framework has taken a change over is none to it, since it still shows what was there before: the readers hear of it here. */
const subscribe = (read: () => void) => {
  readers.add(read)
  window.addEventListener('popstate', read)
  return () => {
    readers.delete(read)
    window.removeEventListener('popstate', read)
  }
}

const standing = (): Ahead | null => (ahead?.search === window.location.search ? ahead : null)

function useQueryString() {
  const shown = useSearchParams()
  const path = usePathname()
  const early = useSyncExternalStore(subscribe, standing, () => null)
  useEffect(() => {
    if (early && `${shown}` === `${new URLSearchParams(location.search)}`) setAhead(null)
  }, [early, shown])
  /** False when the change is none. */
  const write = (change: Change, way: 'pushState' | 'replaceState'): boolean => {
    const url = new URL(location.href)
    const changed = Object.entries(change).filter(([name, value]) => url.searchParams.get(name) !== value)
    if (changed.length === 0) return false
    for (const [name, value] of changed) {
      if (value === null) url.searchParams.delete(name)
      else url.searchParams.set(name, value)
    }
    window.history[way](null, '', url)
    setAhead({ query: url.searchParams, search: url.search, paths: [path, url.pathname] })
    return true
  }
  return { query: early?.paths.includes(path) ? early.query : shown, write }
}
