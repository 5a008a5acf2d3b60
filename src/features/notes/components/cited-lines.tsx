'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import { useTRPC } from '#lib/trpc.tsx'
import { cx } from '#ui/cx.ts'
import { ErrorState } from '#ui/error-state.tsx'
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
        <>
          <ol className="relative mb-8 overflow-x-auto rounded bg-sunken py-2 font-mono text-sm leading-relaxed">
            {excerpt.data.lines.map((line) => (
              <li key={line.n} className={cx('flex gap-4 px-3', line.cited && 'bg-accent-soft')}>
                <span className="tabular w-10 shrink-0 select-none text-right text-ink-3">{line.n}</span>
                <span className="whitespace-pre-wrap">{line.text}</span>
              </li>
            ))}
          </ol>
          {excerpt.data.changed ? <p className="-mt-6 mb-8 text-sm text-waiting">{t('changed')}</p> : null}
        </>
      ) : null}
    </Section>
  )
}
