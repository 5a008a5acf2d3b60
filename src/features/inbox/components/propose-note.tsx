'use client'
import { useTranslations } from 'use-intl/react'
import { onDemand } from '#lib/on-demand.tsx'
import { ProposeButton } from './propose-button.tsx'

const NoteForm = onDemand(() => import('./note-form.tsx').then((m) => m.NoteForm))

/** A note as it is now, for an edit of one's own; without it a new note is proposed. */
export type EditedNote = { path: string; markdown: string; sha256: string }

/** Proposes a note, or an edit of one. `note` may change while the form is open. */
export function ProposeNote({ note }: { note?: EditedNote }) {
  const t = useTranslations('inbox')
  return (
    <ProposeButton
      id="inbox.propose"
      label={note ? t('editNote') : t('newNote')}
      keys={note ? 'e' : 'n'}
      title={note ? t('editTitle', { path: note.path }) : t('newTitle')}
      primary
    >
      {(close) => <NoteForm {...(note ? { note } : {})} close={close} />}
    </ProposeButton>
  )
}
