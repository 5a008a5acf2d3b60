'use client'
import { parseAsString, useQueryState, useQueryStates } from 'nuqs'
import { useMemo, useRef } from 'react'

/** The state of a list in the URL: filters, sorting, the open object, so that a view can be shared and Back works. */
export type Filters = {
  values: Readonly<Record<string, string | null>>
  /** A change is a step that Back undoes; what is `typed` in one field is one step however long one types, until it is left. */
  set: (change: Record<string, string | null>, how?: 'typed') => void
  /** A field was left: what is typed from now on is another step. */
  settle: () => void
  clear: () => void
  /** True when any filter is on. */
  active: boolean
  /** The filters as one string: the `scope` of a DataTable. */
  scope: string
}

const NOTHING_TYPED = { field: '', address: '' }

/** Filters of these names in the URL, each a string or absent. */
export function useFilters(names: readonly string[]): Filters {
  const joined = names.join(' ')
  const parsers = useMemo(
    () => Object.fromEntries(joined.split(' ').map((name) => [name, parseAsString])),
    [joined],
  )
  const [values, setValues] = useQueryStates(parsers, { history: 'push', shallow: true })
  // Typing goes on where the address is still what typing in the same field made of it, and the field was not left since.
  const typed = useRef(NOTHING_TYPED)
  const set: Filters['set'] = (change, how) => {
    if (Object.entries(change).every(([name, value]) => (values[name] ?? null) === value)) return
    const field = how === 'typed' ? Object.keys(change).join(' ') : ''
    const before = typed.current
    const goesOn = field !== '' && before.field === field && before.address === location.href
    const now = { field, address: '' }
    typed.current = now
    void setValues(change, { history: goesOn ? 'replace' : 'push' }).then(() => {
      if (typed.current === now) typed.current = { field, address: location.href }
    })
  }
  return {
    values,
    set,
    settle: () => {
      typed.current = NOTHING_TYPED
    },
    clear: () => set(Object.fromEntries(Object.keys(values).map((name) => [name, null]))),
    active: Object.values(values).some((value) => value !== null && value !== ''),
    scope: JSON.stringify(values),
  }
}

/** One value in the URL (a tab, a window of time), with a default that is not written. A change is a step that Back undoes. */
export function useUrlValue(name: string, fallback: string): readonly [string, (value: string) => void] {
  const [value, set] = useQueryState(
    name,
    parseAsString.withDefault(fallback).withOptions({ history: 'push', shallow: true }),
  )
  return [value, (next) => void set(next)]
}
