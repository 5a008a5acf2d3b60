'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { RuleView } from '#contracts/approval-rule.contract.ts'
import { RULE_ACTIONS } from '#domain/approval-rule/rule-subject.ts'
import type { Fault } from '#lib/fault.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { type Draft, useDraft } from '#lib/use-draft.ts'
import { useFieldText } from '#lib/use-fault-text.ts'
import { Button } from '#ui/button.tsx'
import { DraftNote } from '#ui/draft-note.tsx'
import { SelectField, TextArea, TextField } from '#ui/fields.tsx'
import { Form } from '#ui/form.tsx'
import { contentOf, EMPTY, ENDS, type RuleValues, TEMPLATES, valuesOf } from '../rule-values.ts'
import { useRuleMutation } from '../use-rule-mutation.ts'

type Props = { of: RuleView | null; given?: Partial<RuleValues>; done: () => void }
type Faults = Readonly<Partial<Record<keyof RuleValues, string>>>

/** The field of the form that shows what is wrong with a field of a rule. */
const FIELD: Readonly<Record<string, keyof RuleValues>> = {
  name: 'name',
  daily_cap: 'cap',
  expires_at: 'end',
  'condition.agent': 'agent',
  'condition.action': 'action',
  'condition.target.path': 'path',
  'condition.additions': 'lines',
}

/** Creates a rule, or edits one. */
export function RuleForm({ of: newest, given, done }: Props) {
  const t = useTranslations('approvalRules')
  // Saved as an edit of what was read, so that what somebody else has saved meanwhile is a conflict and not lost.
  const [of] = useState(newest)
  const draft = useDraft<RuleValues>(draftName(of, given), of ? valuesOf(of) : { ...EMPTY, ...given })
  const { values } = draft
  const [template, setTemplate] = useState('none')
  const { faults, save, busy } = useSave({ of, done, draft })
  const set = (field: keyof RuleValues) => (value: string) => draft.set(field, value)
  const begin = (name: string) => {
    setTemplate(name)
    const begun = { ...EMPTY, name: values.name, ...TEMPLATES[name as 'owner'] }
    for (const field of Object.keys(begun) as (keyof RuleValues)[]) draft.set(field, begun[field])
  }
  const text = (field: 'name' | 'agent' | 'path' | 'lines' | 'cap') => ({
    value: values[field],
    onChange: set(field),
    error: faults[field],
  })
  return (
    <Form onSubmit={save}>
      <DraftNote draft={draft} />
      <TextField label={t('name')} {...text('name')} maxLength={100} required autoFocus />
      {of ? null : (
        <SelectField
          label={t('template')}
          value={template}
          onChange={begin}
          options={(['none', 'owner', 'tags', 'webhook'] as const).map((value) => ({
            value,
            label: t(`templates.${value}`),
          }))}
        />
      )}
      <TextField label={t('agent')} hint={t('agentHint')} {...text('agent')} maxLength={64} mono />
      <SelectField
        label={t('action')}
        value={values.action}
        onChange={set('action')}
        error={faults.action}
        options={[
          { value: '', label: t('anyAction') },
          ...[...new Set([...RULE_ACTIONS, ...(values.action ? [values.action] : [])])].map((value) => ({
            value,
            label: value,
          })),
        ]}
      />
      <TextField label={t('path')} hint={t('pathHint')} {...text('path')} maxLength={1000} mono />
      <TextField label={t('lines')} {...text('lines')} type="number" />
      <TextArea
        label={t('others')}
        hint={t('othersHint')}
        value={values.others}
        onChange={set('others')}
        error={faults.others}
        rows={2}
        mono
      />
      <TextField label={t('cap')} hint={t('capHint')} {...text('cap')} type="number" />
      <SelectField
        label={t('end')}
        value={values.end}
        onChange={set('end')}
        error={faults.end}
        options={[
          ...(of ? [{ value: 'keep', label: t('keepEnd') }] : []),
          ...ENDS.map((value) => ({ value, label: t(`ends.${value}`) })),
        ]}
      />
      <div className="mt-5 flex justify-end">
        <Button kind="primary" type="submit" busy={busy} disabled={values.name.trim() === ''}>
          {of ? t('save') : t('create')}
        </Button>
      </div>
    </Form>
  )
}

/** What was written about one rule, or one version of it, is never put into the form of another. */
const draftName = (of: RuleView | null, given: Partial<RuleValues> = {}): string =>
  `rule:${of ? `${of.rule_id} ${of.version}` : JSON.stringify(given)}`

type Saving = { of: RuleView | null; done: () => void; draft: Draft<RuleValues> }

function useSave({ of, done, draft }: Saving) {
  const { values } = draft
  const t = useTranslations('approvalRules')
  const trpc = useTRPC()
  const fieldText = useFieldText()
  const [faults, setFaults] = useState<Faults>({})
  const onFault = (fault: Fault) => {
    setFaults(
      Object.fromEntries(fault.fields.map((field) => [FIELD[field.field] ?? 'others', fieldText(field)])),
    )
    return fault.fields.length > 0
  }
  const onSuccess = () => {
    draft.clear()
    done()
  }
  const create = useRuleMutation(
    trpc.approvalRules.create.mutationOptions({ onSuccess }),
    () => t('created'),
    onFault,
  )
  const edit = useRuleMutation(
    trpc.approvalRules.edit.mutationOptions({ onSuccess }),
    (rule) => t(of?.mode === 'on' && rule.mode === 'shadow' ? 'savedShadow' : 'saved'),
    onFault,
  )
  const busy = create.isPending || edit.isPending
  const save = () => {
    if (busy || values.name.trim() === '') return
    const read = contentOf(values, { now: Date.now(), kept: of?.expires_at ?? null })
    setFaults(read.ok ? {} : { others: t('othersFault') })
    if (!read.ok) return
    if (of) edit.mutate({ ...read.content, rule_id: of.rule_id, version: of.version })
    else create.mutate(read.content)
  }
  return { faults, save, busy }
}
