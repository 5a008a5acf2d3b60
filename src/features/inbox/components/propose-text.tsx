'use client'
import { useTranslations } from 'use-intl/react'
import { useDraft } from '#lib/use-draft.ts'
import { Button } from '#ui/button.tsx'
import { DraftNote } from '#ui/draft-note.tsx'
import { TextArea } from '#ui/fields.tsx'
import { Form } from '#ui/form.tsx'
import { ProposeButton } from './propose-button.tsx'
import { closed } from './propose-note.tsx'
import { useSubmitEntry } from './use-submit-entry.ts'

/** What stands beside the object: its address (`notes/<path>`, `artifacts/<id>`) and what people call it. */
export type Annotated = { address: string; title: string }

/** Proposes a comment on a note or an artifact. */
export function ProposeComment({ address, title }: Annotated) {
  const t = useTranslations('inbox')
  return (
    <ProposeButton id="inbox.comment" label={t('comment')} keys="c" title={t('commentTitle', { title })}>
      {(close) => (
        <TextForm form="comment" label={t('commentText')} close={close}>
          {(text) => ({
            action: 'propose-comment',
            target: address,
            payload: { kind: 'comment', text, summary: firstLine(t('comment'), text) },
          })}
        </TextForm>
      )}
    </ProposeButton>
  )
}

/** Proposes the summary of a note, or another one in its place. */
export function ProposeSummary({ address, title, summarised }: Annotated & { summarised: boolean }) {
  const t = useTranslations('inbox')
  const label = summarised ? t('replaceSummary') : t('summarise')
  return (
    <ProposeButton id="inbox.summary" label={label} keys="s" title={t('summaryTitle', { title })}>
      {(close) => (
        <TextForm form="summary" label={t('summaryText')} close={close}>
          {(text) => ({
            action: 'propose-summary',
            target: address,
            payload: { text, summary: firstLine(label, text) },
          })}
        </TextForm>
      )}
    </ProposeButton>
  )
}

/** The subject of the commit: the first words of the text. */
const firstLine = (label: string, text: string): string =>
  `${label}: ${text.trim().split('\n', 1)[0] ?? ''}`
    .replace(/\p{Cc}/gu, ' ')
    .slice(0, 200)
    .trim()

type Intent = Parameters<ReturnType<typeof useSubmitEntry>['submit']>[0]
type FormProps = {
  form: string
  label: string
  close: () => void
  children: (text: string) => Intent
}

function TextForm({ form, label, close, children }: FormProps) {
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
