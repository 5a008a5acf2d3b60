'use client'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { useAction } from '#lib/keyboard.tsx'
import { newId } from '#lib/new-id.ts'
import { useRight } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useDraft } from '#lib/use-draft.ts'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { DraftNote } from '#ui/draft-note.tsx'
import { TextArea, TextField } from '#ui/fields.tsx'

/** A note as it is now, for an edit of one's own; without it a new note is proposed. */
export type EditedNote = { path: string; markdown: string; sha256: string }

/** The button that proposes a note or an edit of one: through the Inbox like everything else, decided afterwards. */
export function ProposeNote({ note }: { note?: EditedNote }) {
  const t = useTranslations('inbox')
  const no = useRight('inbox.submit')
  const [open, setOpen] = useState(false)
  const label = note ? t('editNote') : t('newNote')
  const keys = note ? 'e' : 'n'
  useAction({
    id: 'inbox.propose',
    label,
    keys,
    group: t('title'),
    run: () => setOpen(true),
    ...(no ? { disabledReason: no } : {}),
  })
  return (
    <>
      <Button kind="primary" keys={keys} disabledReason={no} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        width="lg"
        title={note ? t('editTitle', { path: note.path }) : t('newTitle')}
      >
        <Form {...(note ? { note } : {})} close={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

function Form({ note, close }: { note?: EditedNote; close: () => void }) {
  const t = useTranslations('inbox')
  const trpc = useTRPC()
  const router = useRouter()
  const draft = useDraft(note ? 'edit' : 'note', {
    path: note?.path ?? '',
    text: note?.markdown ?? '',
    summary: '',
    reasoning: '',
    // An edit stays bound to the text it was made of: the server refuses it once the note has changed.
    base: note?.sha256 ?? '',
  })
  const { path, text, summary, reasoning, base } = draft.values
  const [token] = useState(newId)
  const submit = useToastMutation(
    trpc.inbox.submit.mutationOptions({
      onSuccess: (answer) => {
        draft.clear()
        close()
        if (answer.resolution?.kind === 'proposal') router.push(`/proposals/${answer.resolution.id}`)
      },
    }),
    { done: () => t('proposed') },
  )
  const missing = text === (note?.markdown ?? '') ? t('unchanged') : path.trim() ? undefined : t('addPath')
  const send = () => {
    if (missing || !summary.trim() || submit.isPending) return
    const described = { summary: summary.trim(), reasoning: reasoning.trim() }
    const payload = note
      ? { ...described, base_hash: base, diff: { type: 'replace', text: closed(text) } }
      : { ...described, kind: 'note', text: closed(text) }
    submit.mutate({
      intent: { action: note ? 'propose-edit' : 'propose-note', target: `notes/${path.trim()}`, payload },
      metadata: { correlation_id: token },
    })
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <DraftNote draft={draft} />
      {note ? null : (
        <TextField
          label={t('path')}
          hint={t('pathHint')}
          value={path}
          onChange={(value) => draft.set('path', value)}
          required
          autoFocus
          mono
        />
      )}
      <TextArea
        label={t('text')}
        value={text}
        onChange={(value) => draft.set('text', value)}
        rows={14}
        required
        mono
        {...(note ? { autoFocus: true } : {})}
      />
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
        <Button kind="primary" type="submit" busy={submit.isPending} disabledReason={missing}>
          {t('propose')}
        </Button>
      </div>
    </form>
  )
}

/** A file ends with a line break. */
const closed = (text: string) => (text.endsWith('\n') ? text : `${text}\n`)
