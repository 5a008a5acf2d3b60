'use client'
import { type QueryFilters, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useTranslations } from 'use-intl/react'
import type { NoteVersion } from '#contracts/note-history.contract.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useUrlValue } from '#lib/url-state.ts'
import { Button } from '#ui/button.tsx'
import { cx } from '#ui/cx.ts'
import { ErrorState } from '#ui/error-state.tsx'
import { Icon } from '#ui/icon.tsx'
import { Digest } from '#ui/id.tsx'
import { Link } from '#ui/link.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { RelativeTime } from '#ui/time.tsx'
import { NoteComparison } from './note-comparison.tsx'

/** The versions of a note, newest first; one opens to what it changed. */
export function NoteHistory({ path, sha256 }: { path: string; sha256: string }) {
  const t = useTranslations('notes')
  const trpc = useTRPC()
  const [opened, setOpened] = useUrlValue('version', '')
  const history = useInfiniteQuery(trpc.notes.history.infiniteQueryOptions({ path }, CURSOR_PAGES))
  useAgainFor(sha256, trpc.notes.history.pathFilter())
  useLookFurther(history)
  if (history.error && !history.data)
    return <ErrorState error={history.error} onRetry={() => history.refetch()} />
  if (!history.data) return <Skeleton lines={8} label={t('history')} />
  const versions = history.data.pages.flatMap(({ items }) => items)
  return (
    <>
      {versions.length === 0 && !history.hasNextPage ? (
        <p className="text-sm text-ink-3">{t('noVersions')}</p>
      ) : null}
      <ol className="border-t border-line">
        {versions.map((version, i) => {
          const isOpen = version.revision === opened
          return (
            <li key={version.revision} className="border-b border-line">
              <Version
                version={version}
                isOpen={isOpen}
                onToggle={() => setOpened(isOpen ? '' : version.revision)}
              />
              {isOpen ? (
                <NoteComparison
                  path={path}
                  to={version}
                  others={versions.filter(({ revision }) => revision !== version.revision)}
                  before={versions[i + 1]?.version ?? null}
                  lookForBefore={
                    versions[i + 1] || !history.hasNextPage ? null : () => void history.fetchNextPage()
                  }
                />
              ) : null}
            </li>
          )
        })}
      </ol>
      {history.hasNextPage ? (
        <Button className="mt-4" busy={history.isFetchingNextPage} onClick={() => history.fetchNextPage()}>
          {t('olderVersions')}
        </Button>
      ) : null}
    </>
  )
}

/** Read again when the note on screen is another text, and not at each change of the garden. */
function useAgainFor(sha256: string, filter: QueryFilters): void {
  const queries = useQueryClient()
  const shown = useRef(sha256)
  useEffect(() => {
    if (shown.current === sha256) return
    shown.current = sha256
    void queries.invalidateQueries(filter)
  })
}

/** A page ends after its time, with nothing where the note rested long: so many of them are passed by themselves. */
const EMPTY_PAGES = 5

type Pages = {
  data?: { pages: readonly { items: readonly unknown[] }[] } | undefined
  hasNextPage: boolean
  isFetching: boolean
  isError: boolean
  fetchNextPage: () => unknown
}

function useLookFurther({ data, hasNextPage, isFetching, isError, fetchNextPage }: Pages): void {
  const pages = data?.pages ?? []
  const lastFull = pages.findLastIndex(({ items }) => items.length > 0)
  const empty = pages.length - 1 - lastFull
  const goesOn = hasNextPage && !isFetching && !isError && empty > 0 && empty <= EMPTY_PAGES
  useEffect(() => {
    if (goesOn) void fetchNextPage()
  }, [goesOn, fetchNextPage])
}

type VersionProps = { version: NoteVersion; isOpen: boolean; onToggle: () => void }

function Version({ version, isOpen, onToggle }: VersionProps) {
  const t = useTranslations('notes')
  const { revision, at, author, message, proposal_id, removed, renamed_from } = version
  return (
    <div className="flex flex-wrap items-baseline gap-x-3 py-1.5 text-sm text-ink-3">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={onToggle}
        className="flex min-h-7 min-w-0 flex-1 basis-64 items-center gap-1.5 rounded text-left text-base text-ink hover:bg-hover pointer-coarse:min-h-11"
      >
        <Icon
          name="chevron-right"
          className={cx('size-4 shrink-0 text-ink-3 transition-transform', isOpen && 'rotate-90')}
        />
        <span className="min-w-0 break-words">
          {removed ? t('removed') : (message ?? t('changedOnce'))}
          {renamed_from === null ? null : (
            <span className="block text-sm text-ink-3">{t('renamedFrom', { path: renamed_from })}</span>
          )}
        </span>
      </button>
      {author ? <span className="text-ink-2">{author}</span> : null}
      <RelativeTime at={at} />
      {proposal_id ? <Link href={`/proposals/${proposal_id}`}>{t('proposal')}</Link> : null}
      <Digest value={revision} algorithm="git" />
    </div>
  )
}
