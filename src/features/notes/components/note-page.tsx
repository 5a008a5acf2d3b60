'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { NoteView } from '#contracts/note.contract.ts'
import { ProposeNote } from '#features/inbox/index.ts'
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
        {note.error ? (
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
        action={guest ? null : <ProposeNote note={n} />}
      />
      {excerpt}
      <Body note={n} />
    </Page>
  )
}

function Body({ note }: { note: NoteView }) {
  const t = useTranslations('notes')
  const [view, setView] = useUrlValue('view', 'reading')
  const fields = Object.entries(note.frontmatter)
  return (
    <div className="grid gap-x-12 lg:grid-cols-[minmax(0,1fr)_16rem]">
      <div className="min-w-0">
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
      </div>
      <aside aria-label={t('properties')}>
        {fields.length > 0 ? (
          <Section title={t('properties')}>
            <FieldList rows={fields.map(([label, value]) => ({ label, value: plain(value) }))} />
          </Section>
        ) : null}
        <Section title={t('backlinks')}>
          <ul className="space-y-1">
            {note.backlinks.map((b) => (
              <li key={b.path}>
                <Link href={noteHref(b.path)}>{b.title}</Link>
              </li>
            ))}
          </ul>
        </Section>
        <Section title={t('links')}>
          <ul className="space-y-1">
            {note.links.map((l) => (
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

function plain(value: unknown): string {
  if (Array.isArray(value)) return value.map(plain).join(', ')
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')
}
