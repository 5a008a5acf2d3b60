'use client'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl/react'
import { ErrorState } from '#ui/error-state.tsx'
import { Section } from '#ui/section.tsx'
import { Skeleton } from '#ui/skeleton.tsx'

type Props<Data> = {
  title: string
  hint?: string | undefined
  query: { data: Data | undefined; error: unknown; isFetching: boolean; refetch: () => unknown }
  /** Lines of the skeleton: about as many as there will be. */
  lines: number
  children: (data: Data) => ReactNode
}

/** A section of one query: its shape while it is read, and why when it could not be. What was read once stays. */
export function QuerySection<Data>({ title, hint, query, lines, children }: Props<Data>) {
  const t = useTranslations('ui')
  const { data, error } = query
  return (
    <Section title={title} hint={hint}>
      {error ? (
        <ErrorState
          error={error}
          onRetry={() => query.refetch()}
          retrying={query.isFetching}
          keepsData={data !== undefined}
        />
      ) : null}
      {data !== undefined ? children(data) : error ? null : <Skeleton lines={lines} label={t('loading')} />}
    </Section>
  )
}
