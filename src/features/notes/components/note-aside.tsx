'use client'
import { useTranslations } from 'use-intl/react'
import type { NoteView } from '#contracts/note.contract.ts'
import { useSession } from '#lib/session.tsx'
import { breakable } from '#ui/breakable.tsx'
import { FieldList } from '#ui/field-list.tsx'
import { Digest } from '#ui/id.tsx'
import { Link } from '#ui/link.tsx'
import { Section } from '#ui/section.tsx'
import { TableOfContents } from '#ui/table-of-contents.tsx'
import { noteHref } from '../input.ts'

type Props = {
  note: NoteView
  /** The text with these headings is on screen. */
  isRead: boolean
}

/** What stands beside the text of a note: its contents, fields, links and revision. In sight while the text scrolls. */
export function NoteAside({ note, isRead }: Props) {
  const t = useTranslations('notes')
  // Whether there is such a note outside of the zone is not a guest's to know.
  const guest = useSession().role === 'guest'
  const fields = Object.entries(note.frontmatter)
  return (
    <aside
      aria-label={t('beside')}
      className="@max-3xl:mt-8 @3xl:sticky @3xl:top-6 @3xl:max-h-[calc(100dvh-3rem)] @3xl:self-start @3xl:overflow-y-auto"
    >
      {isRead && note.headings.length > 0 ? (
        <div className="mb-8 @max-3xl:hidden" data-chrome>
          <TableOfContents headings={note.headings} form="list" />
        </div>
      ) : null}
      {fields.length > 0 ? (
        <Section title={t('properties')}>
          <div className="@container">
            <FieldList
              rows={fields.map(([label, value]) => ({
                id: label,
                label: breakable(label),
                value: breakable(plain(value), ADDRESS),
              }))}
            />
          </div>
        </Section>
      ) : null}
      <Section title={t('backlinks')}>
        {note.backlinks.length === 0 ? (
          <p className="text-sm text-ink-3">{t(note.reading ? 'reading' : 'noBacklinks')}</p>
        ) : null}
        <ul className="space-y-2">
          {note.backlinks.map((b) => (
            <li key={b.path}>
              <p>
                <Link href={noteHref(b.path)}>{b.title}</Link>
              </p>
              {b.text && b.text !== b.title ? (
                <p className="line-clamp-3 break-words text-sm text-ink-3">{b.text}</p>
              ) : null}
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
                  {l.label} ({t(guest ? 'notInZone' : 'broken')})
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

/** Where an address or a path may be broken. */
const ADDRESS = /(?<=[/_@])(?![/_@])/

function plain(value: unknown): string {
  if (Array.isArray(value)) return value.map(plain).join(', ')
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')
}
