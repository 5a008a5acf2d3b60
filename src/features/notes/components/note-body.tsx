'use client'
import { type RefObject, useRef } from 'react'
import { useTranslations } from 'use-intl/react'
import type { NoteView } from '#contracts/note.contract.ts'
import { AnnotationList } from '#features/inbox/index.ts'
import { useUrlValue } from '#lib/url-state.ts'
import { MarkdownView } from '#ui/lazy.tsx'
import { PlainText } from '#ui/plain-text.tsx'
import { Section } from '#ui/section.tsx'
import { TableOfContents } from '#ui/table-of-contents.tsx'
import { Tabs } from '#ui/tabs.tsx'
import { arrivalOf } from '../arrival.ts'
import { NoteAside } from './note-aside.tsx'
import { NoteHistory } from './note-history.tsx'
import { useArrival } from './use-arrival.ts'

const VIEWS = { reading: 'preview', source: 'source', history: 'history' } as const
type View = keyof typeof VIEWS

/** A note with its summary, text and comments, and beside it what belongs to it. */
export function NoteBody({ note }: { note: NoteView }) {
  const t = useTranslations('notes')
  const [given, setView] = useUrlValue('view', 'reading')
  const view: View = given in VIEWS ? (given as View) : 'reading'
  const arrived = useRef('')
  const tabs = Object.entries(VIEWS).map(([id, label]) => ({ id, label: t(label) }))
  return (
    <div className="@container">
      <div className="grid gap-x-12 @3xl:grid-cols-[minmax(0,1fr)_16rem]">
        <div className="min-w-0">
          {note.summary ? (
            <Section title={t('summary')}>
              <AnnotationList items={[note.summary]} />
            </Section>
          ) : null}
          <Tabs label={t('view')} value={view} onChange={setView} tabs={tabs}>
            {view === 'history' ? (
              <NoteHistory path={note.path} sha256={note.sha256} />
            ) : view === 'source' ? (
              <PlainText text={note.markdown} />
            ) : (
              <Text note={note} arrived={arrived} />
            )}
          </Tabs>
          <Section title={t('comments')}>
            {note.comments.length > 0 ? (
              <AnnotationList items={note.comments} />
            ) : (
              <p className="text-sm text-ink-3">{t('noComments')}</p>
            )}
          </Section>
        </div>
        <NoteAside note={note} isRead={view === 'reading'} />
      </div>
    </div>
  )
}

function Text({ note, arrived }: { note: NoteView; arrived: RefObject<string> }) {
  const root = useRef<HTMLDivElement>(null)
  const [line] = useUrlValue('line', '')
  const [find] = useUrlValue('find', '')
  useArrival({ root, tree: note.content, arrived }, arrivalOf(line, find))
  return (
    <>
      <div className="@3xl:hidden" data-chrome>
        <TableOfContents headings={note.headings} form="disclosure" />
      </div>
      <div ref={root}>
        <MarkdownView tree={note.content} />
      </div>
    </>
  )
}
