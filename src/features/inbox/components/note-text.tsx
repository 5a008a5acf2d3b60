'use client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl/react'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { DiffView, MarkdownView } from '#ui/lazy.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { Tabs } from '#ui/tabs.tsx'

export const NOTE_VIEWS = ['edit', 'changes', 'preview'] as const
export type NoteViewName = (typeof NOTE_VIEWS)[number]

type Props = {
  view: NoteViewName
  onView: (view: NoteViewName) => void
  path: string
  /** The text of the garden now, null for a new note, and the text that is going to be proposed. */
  before: string | null
  after: string
  isUnchanged: boolean
  /** The field that the text is written in; it stays, hidden, so that nothing of what one can undo is lost. */
  children: ReactNode
}

/** The text of a proposed note: as it is written, what it changes, and how it reads. */
export function NoteText({ view, onView, path, before, after, isUnchanged, children }: Props) {
  const t = useTranslations('inbox')
  return (
    <div className={before === null ? 'mt-4' : undefined}>
      <Tabs
        label={t('noteView')}
        tabs={NOTE_VIEWS.map((id) => ({ id, label: t(id) }))}
        value={view}
        onChange={(id) => onView(id as NoteViewName)}
      >
        <div hidden={view !== 'edit'}>{children}</div>
        {view === 'edit' ? null : isUnchanged ? (
          <p className="rounded bg-sunken px-4 py-3 text-ink-2">{t('unchanged')}</p>
        ) : view === 'changes' ? (
          <DiffView path={path || t('newNote')} before={before} after={after} words keyboard={false} />
        ) : (
          <Preview path={path} text={after} />
        )}
      </Tabs>
    </div>
  )
}

function Preview({ path, text }: { path: string; text: string }) {
  const t = useTranslations('inbox')
  const trpc = useTRPC()
  const preview = useQuery({
    ...trpc.notes.preview.queryOptions({ path, text }, { trpc: { context: { longInput: true } } }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.reading ? POLL_MS.live : false),
  })
  if (preview.data) return <MarkdownView tree={preview.data.content} />
  if (preview.error) return <ErrorState error={preview.error} onRetry={() => preview.refetch()} />
  return <Skeleton lines={8} label={t('preview')} />
}
