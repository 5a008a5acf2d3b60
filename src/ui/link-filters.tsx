'use client'
import { useTranslations } from 'use-intl/react'
import type { Filters } from '#lib/url-state.ts'
import { Icon } from './icon.tsx'
import { shortId } from './id.tsx'

type Props<Key extends string> = {
  filters: Filters
  /** Filters that come with a link and have no field, in the order in which they are shown. */
  labels: Readonly<Record<Key, string>>
  /** How a value is shown; as an id by default. */
  show?: (key: Key, value: string) => string
}

/** What a list is narrowed to by the address alone: each with a button that removes it. */
export function LinkFilters<Key extends string>({
  filters,
  labels,
  show = (_, value) => shortId(value),
}: Props<Key>) {
  const t = useTranslations('ui')
  const given = (Object.keys(labels) as Key[]).flatMap((key) => {
    const value = filters.values[key]
    return value ? [{ key, text: `${labels[key]}: ${show(key, value)}` }] : []
  })
  if (given.length === 0) return null
  return (
    <ul className="flex flex-wrap gap-2 pb-3">
      {given.map(({ key, text }) => (
        <li key={key} className="max-w-full">
          <button
            type="button"
            aria-label={t('removeFilter', { filter: text })}
            onClick={() => filters.set({ [key]: null })}
            className="inline-flex h-7 max-w-full items-center gap-1.5 rounded bg-sunken px-2 text-sm text-ink hover:bg-hover pointer-coarse:h-11"
          >
            <span className="truncate">{text}</span>{' '}
            <Icon name="x" className="size-3.5 shrink-0 text-ink-3" />
          </button>
        </li>
      ))}
    </ul>
  )
}
