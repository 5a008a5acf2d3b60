'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { toNoteText } from '#domain/garden/note-text.rules.ts'
import { useDraft } from '#lib/use-draft.ts'
import { Button } from '#ui/button.tsx'
import { DraftNote } from '#ui/draft-note.tsx'
import { TextArea, TextField } from '#ui/fields.tsx'
import { Form } from '#ui/form.tsx'
import { closed } from '../closed-text.ts'
import { NoteMoved } from './note-moved.tsx'
import { NoteText, type NoteViewName } from './note-text.tsx'
import type { EditedNote } from './propose-note.tsx'
import { useSubmitEntry } from './use-submit-entry.ts'

type FormProps = { note?: EditedNote; close: () => void }

/** The form of a note that is proposed, or of an edit of one. `note` may change while it is open. */
export function NoteForm({ note, close }: FormProps) {
  const t = useTranslations('inbox')
  const form = useNoteDraft(note)
  const { draft, path, hasMoved, isUnchanged } = form
  const { text, summary, reasoning, base } = draft.values
  const [view, setView] = useState<NoteViewName>('edit')
  const entry = useSubmitEntry(draft, close)
  const missing = hasMoved
    ? t('noteMovedFirst')
    : isUnchanged
      ? t('unchanged')
      : path
        ? undefined
        : t('addPath')
  const send = () => {
    if (missing || !summary.trim()) return
    const described = { summary: summary.trim(), reasoning: reasoning.trim() }
    const payload = note
      ? { ...described, base_hash: base, diff: { type: 'replace', text: closed(text) } }
      : { ...described, kind: 'note', text: closed(text) }
    entry.submit({ action: note ? 'propose-edit' : 'propose-note', target: `notes/${path}`, payload })
  }
  return (
    <Form onSubmit={send}>
      <DraftNote draft={draft} />
      <NoteMoved
        hasMoved={hasMoved}
        take={() => {
          const next = form.takeCurrent()
          setView(next)
          return next
        }}
      />
      {note ? null : (
        <TextField
          label={t('path')}
          hint={t('pathHint')}
          value={draft.values.path}
          onChange={(value) => draft.set('path', value)}
          required
          autoFocus
          mono
        />
      )}
      <NoteText
        view={view}
        onView={setView}
        path={path}
        before={note?.markdown ?? null}
        after={closed(text)}
        isUnchanged={isUnchanged}
      >
        <TextArea
          label={t('text')}
          value={text}
          onChange={(value) => draft.set('text', value)}
          rows={14}
          // A field that is hidden cannot say that it is empty; the button does.
          required={view === 'edit'}
          mono
          {...(note ? { autoFocus: true } : {})}
        />
      </NoteText>
      <TextField
        label={t('summary')}
        hint={t('summaryHint')}
        value={summary}
        onChange={(value) => draft.set('summary', value)}
        required
        maxLength={200}
      />
      <TextArea
        label={t('reasoning')}
        value={reasoning}
        onChange={(value) => draft.set('reasoning', value)}
        rows={2}
        maxLength={8_000}
      />
      <div className="mt-5 flex justify-end">
        <Button kind="primary" type="submit" busy={entry.busy} disabledReason={missing}>
          {t('propose')}
        </Button>
      </div>
    </Form>
  )
}

/** The draft, and how it stands to the note as it is now. */
function useNoteDraft(note: EditedNote | undefined) {
  const draft = useDraft(note ? 'edit' : 'note', {
    path: note?.path ?? '',
    text: note?.markdown ?? '',
    summary: '',
    reasoning: '',
    // An edit stays bound to the text it was made of: the server refuses it once the note has changed.
    base: note?.sha256 ?? '',
  })
  const [opened] = useState(note)
  const { text, base } = draft.values
  return {
    draft,
    // The name of a note that exists is taken as it is, white space at its ends included.
    path: note ? note.path : draft.values.path.trim(),
    isUnchanged: toNoteText(text) === toNoteText(note?.markdown ?? ''),
    hasMoved: note !== undefined && base !== note.sha256,
    /** Binds the edit to the note as it is now, whose text is the one that who has written nothing yet goes on from. */
    takeCurrent: () => {
      const isBegun = text !== opened?.markdown
      if (!isBegun) draft.set('text', note?.markdown ?? '')
      draft.set('base', note?.sha256 ?? '')
      return isBegun ? 'changes' : 'edit'
    },
  }
}
