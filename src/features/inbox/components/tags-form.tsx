'use client'
import { useTranslations } from 'use-intl/react'
import { bareTag, isTag } from '#domain/garden/tag.rules.ts'
import { useDraft } from '#lib/use-draft.ts'
import { Button } from '#ui/button.tsx'
import { DraftNote } from '#ui/draft-note.tsx'
import { Checkbox, TextField } from '#ui/fields.tsx'
import { Form } from '#ui/form.tsx'
import type { TaggedProps } from './propose-tags.tsx'
import { useSubmitEntry } from './use-submit-entry.ts'

type Props = Omit<TaggedProps, 'title'> & { close: () => void }

const listed = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\s,]+/)
      .map(bareTag)
      .filter(Boolean),
  ),
]

/** The form of other tags. */
export function TagsForm({ address, tags, removable, close }: Props) {
  const t = useTranslations('inbox')
  const draft = useDraft('tags', { add: '', remove: '' })
  const entry = useSubmitEntry(draft, close)
  const add = listed(draft.values.add).filter((tag) => !tags.includes(tag))
  const remove = listed(draft.values.remove).filter((tag) => removable.includes(tag))
  const wrong = add.find((tag) => !isTag(tag))
  const missing = wrong
    ? t('notATag', { tag: wrong })
    : add.length + remove.length === 0
      ? t('unchanged')
      : undefined
  const toggle = (tag: string, off: boolean) =>
    draft.set('remove', (off ? [...remove, tag] : remove.filter((one) => one !== tag)).join(' '))
  return (
    <Form
      onSubmit={() => {
        if (!missing) entry.submit({ action: 'propose-tag', target: address, payload: { add, remove } })
      }}
    >
      <DraftNote draft={draft} />
      <TextField
        label={t('addTags')}
        hint={t('addTagsHint')}
        {...(wrong ? { error: t('notATag', { tag: wrong }) } : {})}
        value={draft.values.add}
        onChange={(value) => draft.set('add', value)}
        autoFocus
        mono
      />
      {removable.length > 0 ? (
        <fieldset className="mt-4">
          <legend className="mb-1 text-sm font-medium text-ink">{t('removeTags')}</legend>
          {removable.map((tag) => (
            <Checkbox
              key={tag}
              label={<span className="break-all font-mono text-sm">{tag}</span>}
              checked={remove.includes(tag)}
              onChange={(off) => toggle(tag, off)}
            />
          ))}
        </fieldset>
      ) : null}
      <div className="mt-5 flex justify-end">
        <Button kind="primary" type="submit" busy={entry.busy} disabledReason={missing}>
          {t('propose')}
        </Button>
      </div>
    </Form>
  )
}
