'use client'
import { useTranslations } from 'use-intl/react'
import type { Filters } from '#lib/url-state.ts'
import { Icon } from '#ui/icon.tsx'
import { shortId } from '#ui/id.tsx'

/** Filters that come with a link and have no field: each is shown with a button that removes it. */
const LINKED = ['worker', 'run'] as const

/** The worker and run that the list is narrowed to by the address. */
export function LinkFilters({ filters }: { filters: Filters }) {
  const t = useTranslations('tasks')
  const given = LINKED.flatMap((key) => {
    const value = filters.values[key]
    return value ? [{ key, text: `${t(key)}: ${shortId(value)}` }] : []
  })
  if (given.length === 0) return null
  return (
    <ul className="flex flex-wrap gap-2 pb-3">
      {given.map(({ key, text }) => (
        <li key={key}>
          <button
            type="button"
            aria-label={t('removeFilter', { filter: text })}
            onClick={() => filters.set({ [key]: null })}
            className="inline-flex h-7 items-center gap-1.5 rounded bg-sunken px-2 text-sm text-ink hover:bg-hover pointer-coarse:h-11"
          >
            {text} <Icon name="x" className="size-3.5 text-ink-3" />
          </button>
        </li>
      ))}
    </ul>
  )
}
