'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { RuleView } from '#contracts/approval-rule.contract.ts'
import { RULE_ACTIONS } from '#domain/approval-rule/rule-subject.ts'
import type { Fault } from '#lib/fault.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useFieldText } from '#lib/use-fault-text.ts'
import { Button } from '#ui/button.tsx'
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
export function RuleForm({ of, given, done }: Props) {
  const t = useTranslations('approvalRules')
  const [values, setValues] = useState<RuleValues>(() => (of ? valuesOf(of) : { ...EMPTY, ...given }))
  const [template, setTemplate] = useState('none')
  const { faults, save, busy } = useSave({ of, done, values })
  const set = (field: keyof RuleValues) => (value: string) => setValues((was) => ({ ...was, [field]: value }))
  const begin = (name: string) => {
    setTemplate(name)
    setValues((was) => ({ ...EMPTY, name: was.name, ...TEMPLATES[name as 'owner'] }))
  }
  const text = (field: 'name' | 'agent' | 'path' | 'lines' | 'cap') => ({
    value: values[field],
    onChange: set(field),
    error: faults[field],
  })
  return (
    <Form onSubmit={save}>
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

function useSave({ of, done, values }: { of: RuleView | null; done: () => void; values: RuleValues }) {
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
  const create = useRuleMutation(
    trpc.approvalRules.create.mutationOptions({ onSuccess: done }),
    () => t('created'),
    onFault,
  )
  const edit = useRuleMutation(
    trpc.approvalRules.edit.mutationOptions({ onSuccess: done }),
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
