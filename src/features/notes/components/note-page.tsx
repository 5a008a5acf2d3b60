'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { NoteView } from '#contracts/note.contract.ts'
import { bareTag } from '#domain/garden/tag.rules.ts'
import { ProposeComment, ProposeNote, ProposeSummary, ProposeTags } from '#features/inbox/index.ts'
import { toFault } from '#lib/fault.ts'
import { POLL_MS } from '#lib/polling.ts'
import { useSession } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useLiveGarden } from '#lib/use-live-garden.ts'
import { ErrorState } from '#ui/error-state.tsx'
import { Link } from '#ui/link.tsx'
import { Page } from '#ui/page.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { ChangedNotice, useCalmNote } from './calm-note.tsx'
import { CitedLines } from './cited-lines.tsx'
import { MissingNote } from './missing-note.tsx'
import { NoteBody } from './note-body.tsx'
import { NotesFrame } from './notes-frame.tsx'
import { SuggestChange } from './suggest-change.tsx'

type Props = {
  path: string
  cited: { from: number; to: number } | null
  revision: string | null
  /** Whether the folders stand beside the note. */
  folders?: boolean
}

/** One note as it reads, with its fields, links and what links to it; a citation's lines come first, at their own revision. */
export function NotePage({ folders = true, ...note }: Props) {
  return (
    <NotesFrame path={note.path} folders={folders}>
      <Note {...note} />
    </NotesFrame>
  )
}

function Note({ path, cited, revision }: Omit<Props, 'folders'>) {
  const t = useTranslations('notes')
  const trpc = useTRPC()
  const guest = useSession().role === 'guest'
  const note = useQuery({
    ...trpc.notes.get.queryOptions({ path }),
    // A commit that came past the console tells nobody.
    refetchInterval: ({ state }) => (state.data?.reading ? POLL_MS.live : POLL_MS.idle),
  })
  useLiveGarden(trpc.notes.get.queryFilter({ path }))
  const excerpt = cited ? <CitedLines path={path} place={cited} revision={revision} /> : null
  const isGone = note.error !== null && toFault(note.error).code === 'NOT_FOUND'
  const { shown: n, changed, show } = useCalmNote(isGone ? undefined : note.data)
  if (!n)
    return (
      <Page>
        {excerpt}
        {isGone ? (
          <MissingNote path={path} />
        ) : note.error ? (
          <ErrorState error={note.error} onRetry={() => note.refetch()} />
        ) : (
          <Skeleton lines={14} label={t('note')} />
        )}
      </Page>
    )
  return (
    <Page>
      <PageHeader
        above={<Link href="/notes">{t('title')}</Link>}
        title={n.title}
        sentence={<code className="break-all font-mono text-sm text-ink-3">{n.path}</code>}
        action={guest ? <SuggestChange path={n.path} title={n.title} /> : <Proposals note={note.data ?? n} />}
      />
      {changed ? <ChangedNotice show={show} /> : null}
      {excerpt}
      <NoteBody note={n} />
    </Page>
  )
}

/** Of the note as it is now, whatever is being read. */
function Proposals({ note }: { note: NoteView }) {
  const annotated = { address: `notes/${note.path}`, title: note.title }
  return (
    <>
      <ProposeTags {...annotated} tags={note.tags} removable={statedTags(note)} />
      <ProposeComment {...annotated} />
      <ProposeSummary {...annotated} summarised={note.summary !== null} />
      <ProposeNote note={note} />
    </>
  )
}

/** Those of the front matter; a tag in the text is changed by an edit. */
function statedTags({ frontmatter: { tags }, tags: all }: NoteView): string[] {
  const stated = Array.isArray(tags) ? tags.map(String) : typeof tags === 'string' ? tags.split(/[\s,]+/) : []
  return all.filter((tag) => stated.map(bareTag).includes(tag))
}
