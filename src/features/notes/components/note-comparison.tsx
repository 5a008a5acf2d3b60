'use client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl/react'
import type { NoteVersion } from '#contracts/note-history.contract.ts'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { Button } from '#ui/button.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { SelectField } from '#ui/fields.tsx'
import { DiffView, RenderedDiffView } from '#ui/lazy.tsx'
import { Skeleton } from '#ui/skeleton.tsx'

type Props = {
  path: string
  to: NoteVersion
  /** The other versions that are known. */
  others: readonly NoteVersion[]
  /** The version before it, or null where there is none. */
  before: string | null
  /** The version before it has not been looked for; this looks. */
  lookForBefore: (() => void) | null
}

const NOTHING = ''

/** What a version changed, against the one before or any other: by lines, by words and as it reads. */
export function NoteComparison({ path, to, others, before, lookForBefore }: Props) {
  const t = useTranslations('notes')
  const format = useFormatter()
  const trpc = useTRPC()
  const [chosen, setChosen] = useState<string | null>(null)
  const from = chosen ?? before ?? NOTHING
  const isKnown = chosen !== null || lookForBefore === null
  const options = { path, to: to.version, ...(from === NOTHING ? {} : { from }) }
  const found = useQuery({
    ...trpc.notes.compare.queryOptions(options),
    enabled: isKnown,
    refetchInterval: ({ state: { data } }) =>
      data?.to.reading || data?.from?.reading ? POLL_MS.live : false,
  })
  const nameOf = ({ at, message, revision }: NoteVersion) =>
    [
      format.dateTime(new Date(at), { dateStyle: 'medium', timeStyle: 'short' }),
      message ?? revision.slice(0, 8),
    ].join(' · ')
  return (
    <div className="pb-5 pl-5.5">
      <div className="mb-3 max-w-md">
        <SelectField
          label={t('against')}
          value={from}
          onChange={setChosen}
          options={[
            { value: NOTHING, label: t('againstNothing') },
            ...others.map((version) => ({
              value: version.version,
              label: version.version === before ? t('previous', { name: nameOf(version) }) : nameOf(version),
            })),
          ]}
        />
      </div>
      {isKnown || !lookForBefore ? null : (
        <p className="flex flex-wrap items-center gap-3 text-sm text-ink-3">
          <span>{t('beforeUnknown')}</span>
          <Button size="sm" onClick={lookForBefore}>
            {t('olderVersions')}
          </Button>
        </p>
      )}
      {found.error ? <ErrorState error={found.error} onRetry={() => found.refetch()} /> : null}
      {found.data ? (
        <DiffView
          key={`${found.data.from?.revision} ${found.data.to.revision}`}
          path={found.data.path}
          before={found.data.from?.markdown ?? null}
          after={found.data.to.markdown}
          words
          rendered={
            <RenderedDiffView before={found.data.from?.content ?? null} after={found.data.to.content} />
          }
        />
      ) : found.error || !isKnown ? null : (
        <Skeleton lines={6} label={t('history')} />
      )}
    </div>
  )
}
