'use client'
import { parseAsString, useQueryState, useQueryStates } from 'nuqs'
import { useMemo } from 'react'

/** The state of a list in the URL: filters, sorting, the open object, so that a view can be shared and Back works. */
export type Filters = {
  values: Readonly<Record<string, string | null>>
  set: (change: Record<string, string | null>) => void
  clear: () => void
  /** True when any filter is on. */
  active: boolean
  /** The filters as one string: the `scope` of a DataTable. */
  scope: string
}

/** Filters of these names in the URL, each a string or absent. A change replaces the entry of the history. */
export function useFilters(names: readonly string[]): Filters {
  const joined = names.join(' ')
  const parsers = useMemo(
    () => Object.fromEntries(joined.split(' ').map((name) => [name, parseAsString])),
    [joined],
  )
  const [values, setValues] = useQueryStates(parsers, { history: 'replace', shallow: true })
  return {
    values,
    set: (change) => void setValues(change),
    clear: () => void setValues(null),
    active: Object.values(values).some((value) => value !== null && value !== ''),
    scope: JSON.stringify(values),
  }
}

/** One value in the URL (a tab, a sorting), with a default that is not written. */
export function useUrlValue(name: string, fallback: string): readonly [string, (value: string) => void] {
  const [value, set] = useQueryState(
    name,
    parseAsString.withDefault(fallback).withOptions({ history: 'replace', shallow: true }),
  )
  return [value, (next) => void set(next)]
}
