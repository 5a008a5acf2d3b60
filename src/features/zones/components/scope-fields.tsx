'use client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useDebounced } from '#lib/use-debounced.ts'
import { SelectField } from '#ui/fields.tsx'

const PAUSE_MS = 250

type AddProps = { kind: 'folder' | 'tag'; given: readonly string[]; add: (one: string) => void }

/** The folders or tags that the garden has, with their notes; the chosen one is added to what is written. */
export function AddKnown({ kind, given, add }: AddProps) {
  const t = useTranslations('zones')
  const trpc = useTRPC()
  const page = useQuery(trpc.notes.list.queryOptions({ limit: 1 })).data
  const known =
    kind === 'folder'
      ? (page?.folders ?? []).map(({ path, notes }) => ({ value: path, notes }))
      : (page?.tags ?? []).map(({ tag, notes }) => ({ value: tag, notes }))
  const left = known.filter(({ value }) => !given.includes(value))
  if (left.length === 0) return null
  const label = t(kind === 'folder' ? 'addFolder' : 'addTag')
  return (
    <SelectField
      label={label}
      value=""
      onChange={(value) => value && add(value)}
      options={[
        { value: '', label: '—' },
        ...left.map(({ value, notes }) => ({ value, label: `${value} (${notes})` })),
      ]}
    />
  )
}

type Scope = { folders: string[]; tags: string[] }

/** What guests would see of this scope, before the zone is made. */
export function ScopePreview({ folders, tags }: Scope) {
  const t = useTranslations('zones')
  const trpc = useTRPC()
  const asked = JSON.parse(useDebounced(JSON.stringify({ folders, tags }), PAUSE_MS)) as Scope
  const isEmpty = folders.length + tags.length === 0
  const preview = useQuery({
    ...trpc.zones.preview.queryOptions(asked),
    enabled: asked.folders.length + asked.tags.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.reading ? POLL_MS.live : false),
  }).data
  const unknown = preview ? [...preview.unknown_folders, ...preview.unknown_tags] : []
  return (
    <p role="status" className="mb-3 min-h-5 text-sm text-ink-2">
      {preview && !isEmpty ? (
        <>
          {t('preview', { n: preview.notes })}.{' '}
          {unknown.length > 0 ? (
            <span className="text-waiting">{t('unknown', { names: unknown.join(', ') })}</span>
          ) : null}
        </>
      ) : null}
    </p>
  )
}
