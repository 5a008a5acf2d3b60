'use client'
import { useTranslations } from 'use-intl/react'
import type { Filters } from '#lib/url-state.ts'
import { Icon } from '#ui/icon.tsx'

/** Filters that come by a link and have no field: each is shown with a button that removes it. */
const GIVEN = ['tag', 'entity'] as const

/** The tag and the entity that the list is narrowed to by the address. */
export function GivenFilters({ filters }: { filters: Filters }) {
  const t = useTranslations('artifacts')
  const given = GIVEN.flatMap((key) => {
    const value = filters.values[key]
    return value ? [{ key, text: `${t(key)}: ${value}` }] : []
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
