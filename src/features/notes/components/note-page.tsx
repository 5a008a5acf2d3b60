'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { NoteView } from '#contracts/note.contract.ts'
import { bareTag } from '#domain/garden/tag.rules.ts'
import {
  AnnotationList,
  ProposeComment,
  ProposeNote,
  ProposeSummary,
  ProposeTags,
} from '#features/inbox/index.ts'
import { toFault } from '#lib/fault.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useSession } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useUrlValue } from '#lib/url-state.ts'
import { ErrorState } from '#ui/error-state.tsx'
import { FieldList } from '#ui/field-list.tsx'
import { Digest } from '#ui/id.tsx'
import { MarkdownView } from '#ui/lazy.tsx'
import { Link } from '#ui/link.tsx'
import { Page } from '#ui/page.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { PlainText } from '#ui/plain-text.tsx'
import { Section } from '#ui/section.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { Tabs } from '#ui/tabs.tsx'
import { noteHref } from '../input.ts'
import { CitedLines } from './cited-lines.tsx'
import { MissingNote } from './missing-note.tsx'

type Props = { path: string; cited: { from: number; to: number } | null; revision: string | null }

/** One note as it reads, with its fields, links and what links to it; a citation's lines come first, at their own revision. */
export function NotePage({ path, cited, revision }: Props) {
  const t = useTranslations('notes')
  const trpc = useTRPC()
  const guest = useSession().role === 'guest'
  const note = useQuery({
    ...trpc.notes.get.queryOptions({ path }),
    refetchInterval: ({ state }) => (state.data?.reading ? POLL_MS.live : false),
  })
  useLiveQueries(['proposal.status.changed'], trpc.notes.get.queryFilter({ path }), POLL_MS.slow)
  const excerpt = cited ? <CitedLines path={path} place={cited} revision={revision} /> : null
  if (!note.data)
    return (
      <Page>
        {excerpt}
        {note.error && toFault(note.error).code === 'NOT_FOUND' ? (
          <MissingNote path={path} />
        ) : note.error ? (
          <ErrorState error={note.error} onRetry={() => note.refetch()} />
        ) : (
          <Skeleton lines={14} label={t('note')} />
        )}
      </Page>
    )
  const n = note.data
  return (
    <Page>
      <PageHeader
        above={<Link href="/notes">{t('title')}</Link>}
        title={n.title}
        sentence={<code className="break-all font-mono text-sm text-ink-3">{n.path}</code>}
        action={guest ? null : <Proposals note={n} />}
      />
      {excerpt}
      <Body note={n} />
    </Page>
  )
}

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

function Body({ note }: { note: NoteView }) {
  const t = useTranslations('notes')
  const [view, setView] = useUrlValue('view', 'reading')
  const fields = Object.entries(note.frontmatter)
  return (
    <div className="grid gap-x-12 lg:grid-cols-[minmax(0,1fr)_16rem]">
      <div className="min-w-0">
        {note.summary ? (
          <Section title={t('summary')}>
            <AnnotationList items={[note.summary]} />
          </Section>
        ) : null}
        <Tabs
          label={t('view')}
          value={view}
          onChange={setView}
          tabs={[
            { id: 'reading', label: t('preview') },
            { id: 'source', label: t('source') },
          ]}
        >
          {view === 'source' ? <PlainText text={note.markdown} /> : <MarkdownView tree={note.content} />}
        </Tabs>
        <Section title={t('comments')}>
          {note.comments.length > 0 ? (
            <AnnotationList items={note.comments} />
          ) : (
            <p className="text-sm text-ink-3">{t('noComments')}</p>
          )}
        </Section>
      </div>
      <aside aria-label={t('properties')}>
        {fields.length > 0 ? (
          <Section title={t('properties')}>
            <FieldList rows={fields.map(([label, value]) => ({ label, value: plain(value) }))} />
          </Section>
        ) : null}
        <Section title={t('backlinks')}>
          {note.backlinks.length === 0 ? (
            <p className="text-sm text-ink-3">{t(note.reading ? 'reading' : 'noBacklinks')}</p>
          ) : null}
          <ul className="space-y-1">
            {note.backlinks.map((b) => (
              <li key={b.path}>
                <Link href={noteHref(b.path)}>{b.title}</Link>
              </li>
            ))}
          </ul>
        </Section>
        <Section title={t('links')}>
          {note.links.length === 0 ? <p className="text-sm text-ink-3">{t('noLinks')}</p> : null}
          <ul className="space-y-1">
            {eachOnce(note.links).map((l) => (
              <li key={`${l.target}${l.line}`} className="break-words">
                {l.path ? (
                  <Link href={noteHref(l.path)}>{l.label}</Link>
                ) : (
                  <span className="text-ink-3">
                    {l.label} ({t('broken')})
                  </span>
                )}
              </li>
            ))}
          </ul>
        </Section>
        <Section title={t('revision')}>
          <Digest value={note.revision} algorithm="git" />
          <p className="mt-1 text-sm text-ink-3">{t('lines', { n: note.lines })}</p>
        </Section>
      </aside>
    </div>
  )
}

/** A note that is linked several times stands once, by its first label. */
const eachOnce = (links: NoteView['links']): NoteView['links'] => {
  const seen = new Set<string>()
  return links.filter(({ path, target }) => {
    const key = path ?? `broken ${target}`
    return !seen.has(key) && seen.add(key)
  })
}

function plain(value: unknown): string {
  if (Array.isArray(value)) return value.map(plain).join(', ')
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')
}
