'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { CreatedZone } from '#contracts/zone.contract.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useDraft } from '#lib/use-draft.ts'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { DraftNote } from '#ui/draft-note.tsx'
import { Checkbox, SelectField, TextArea, TextField } from '#ui/fields.tsx'
import { Form } from '#ui/form.tsx'
import { AddKnown, ScopePreview } from './scope-fields.tsx'

export const MINUTES = ['15', '60', '360', '1440', '10080'] as const
export type Minutes = (typeof MINUTES)[number]

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

const withLine = (text: string, line: string): string => [...linesOf(text), line].join('\n')

type Field = 'name' | 'description' | 'folders' | 'tags' | 'suggestions' | 'minutes'
const EMPTY: Record<Field, string> = {
  name: '',
  description: '',
  folders: '',
  tags: '',
  suggestions: '',
  minutes: '1440',
}

/** Who is let in to what, and for how long; `made` gets the zone. */
export function ZoneForm({ made }: { made: (zone: CreatedZone) => void }) {
  const t = useTranslations('zones')
  const trpc = useTRPC()
  const draft = useDraft('zone', EMPTY)
  const { name, description, folders, tags, suggestions, minutes } = draft.values
  const set = (field: Field) => (value: string) => draft.set(field, value)
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({})
  const onSuccess = (zone: CreatedZone) => {
    draft.clear()
    made(zone)
  }
  const create = useToastMutation(trpc.zones.create.mutationOptions({ onSuccess }), {
    done: () => t('created'),
    onFault: (fault) => {
      setFaults(Object.fromEntries(fault.fields.map((f) => [f.field.split('.')[0] ?? f.field, f.message])))
      return fault.fields.length > 0
    },
  })
  const missing = linesOf(folders).length + linesOf(tags).length === 0 ? t('scopeNeeded') : undefined
  const submit = () => {
    if (missing || !name.trim() || create.isPending) return
    create.mutate({
      name: name.trim(),
      description: description.trim(),
      folders: linesOf(folders),
      tags: linesOf(tags),
      minutes: Number(minutes),
      suggestions: suggestions !== '',
    })
  }
  return (
    <Form onSubmit={submit}>
      <DraftNote draft={draft} />
      <TextField
        label={t('name')}
        value={name}
        onChange={set('name')}
        error={faults.name}
        required
        autoFocus
        maxLength={100}
      />
      <TextField
        label={t('description')}
        value={description}
        onChange={set('description')}
        maxLength={1_000}
      />
      <TextArea
        label={t('folders')}
        hint={t('foldersHint')}
        value={folders}
        onChange={set('folders')}
        error={faults.folders}
        rows={2}
        mono
      />
      <AddKnown
        kind="folder"
        given={linesOf(folders)}
        add={(one) => set('folders')(withLine(folders, one))}
      />
      <TextArea
        label={t('tags')}
        hint={t('tagsHint')}
        value={tags}
        onChange={set('tags')}
        error={faults.tags}
        rows={2}
        mono
      />
      <AddKnown kind="tag" given={linesOf(tags)} add={(one) => set('tags')(withLine(tags, one))} />
      <ScopePreview folders={linesOf(folders)} tags={linesOf(tags)} />
      <SelectField
        label={t('duration')}
        value={minutes}
        onChange={set('minutes')}
        options={MINUTES.map((m) => ({ value: m, label: t(`durations.${m}`) }))}
      />
      <Checkbox
        label={t('takeSuggestions')}
        hint={t('suggestionsHint')}
        checked={suggestions !== ''}
        onChange={(on) => draft.set('suggestions', on ? 'on' : '')}
      />
      <div className="mt-5 flex justify-end">
        <Button kind="primary" type="submit" busy={create.isPending} disabledReason={missing}>
          {t('create')}
        </Button>
      </div>
    </Form>
  )
}
