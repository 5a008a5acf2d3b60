'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import { useTRPC } from '#lib/trpc.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { FileLines } from '#ui/file-lines.tsx'
import { Section } from '#ui/section.tsx'
import { Skeleton } from '#ui/skeleton.tsx'

type Props = { path: string; place: { from: number; to: number }; revision: string | null }

/** The exact lines a citation names, at the revision it was made of, with a few around them. */
export function CitedLines({ path, place, revision }: Props) {
  const t = useTranslations('notes')
  const trpc = useTRPC()
  const excerpt = useQuery(
    trpc.notes.excerpt.queryOptions({ path, ...place, ...(revision ? { revision } : {}) }),
  )
  const lines = place.from === place.to ? `${place.from}` : `${place.from}–${place.to}`
  return (
    <Section title={t('cited', { lines })}>
      {excerpt.error ? <ErrorState error={excerpt.error} onRetry={() => excerpt.refetch()} /> : null}
      {!excerpt.data && !excerpt.error ? <Skeleton lines={5} label={t('cited', { lines })} /> : null}
      {excerpt.data ? (
        <div className="mb-8">
          <FileLines lines={excerpt.data.lines} />
          {excerpt.data.changed ? <p className="mt-2 text-sm text-waiting">{t('changed')}</p> : null}
        </div>
      ) : null}
    </Section>
  )
}
