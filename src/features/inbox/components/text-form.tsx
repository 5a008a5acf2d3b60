'use client'
import { useTranslations } from 'use-intl/react'
import { useDraft } from '#lib/use-draft.ts'
import { Button } from '#ui/button.tsx'
import { DraftNote } from '#ui/draft-note.tsx'
import { TextArea } from '#ui/fields.tsx'
import { Form } from '#ui/form.tsx'
import { closed } from '../closed-text.ts'
import { useSubmitEntry } from './use-submit-entry.ts'

type Intent = Parameters<ReturnType<typeof useSubmitEntry>['submit']>[0]
type FormProps = {
  form: string
  label: string
  close: () => void
  children: (text: string) => Intent
}

/** The form of one text that is proposed about something. */
export function TextForm({ form, label, close, children }: FormProps) {
  const t = useTranslations('inbox')
  const draft = useDraft(form, { text: '' })
  const entry = useSubmitEntry(draft, close)
  const { text } = draft.values
  const missing = text.trim() === '' ? t('addText') : undefined
  return (
    <Form
      onSubmit={() => {
        if (!missing) entry.submit(children(closed(text.trim())))
      }}
    >
      <DraftNote draft={draft} />
      <TextArea
        label={label}
        hint={t('markdownHint')}
        value={text}
        onChange={(value) => draft.set('text', value)}
        rows={8}
        required
        autoFocus
      />
      <div className="mt-5 flex justify-end">
        <Button kind="primary" type="submit" busy={entry.busy} disabledReason={missing}>
          {t('propose')}
        </Button>
      </div>
    </Form>
  )
}
