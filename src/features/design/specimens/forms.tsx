import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { useState } from 'react'
import type { Filters } from '#lib/url-state.ts'
import { DraftNote } from '#ui/draft-note.tsx'
import { ExportList } from '#ui/export-list.tsx'
import { Checkbox, CheckMark, SelectField, TextArea, TextField } from '#ui/fields.tsx'
import { FilterBar, type FilterSpec } from '#ui/filter-bar.tsx'
import { NewPasswordFields, useNewPassword } from '#ui/new-password-fields.tsx'
import type { Specimen } from '../specimen.ts'

const OPTIONS = [
  { value: 'north', label: 'North bed' },
  { value: 'south', label: 'South bed' },
  { value: 'fallow', label: 'Fallow', disabled: true },
]
type Look = { error?: string; hint?: string; disabled?: boolean; required?: boolean }

function Fields(look: Look) {
  const [value, setValue] = useState('')
  const [on, setOn] = useState(true)
  const given = { ...look, value, onChange: setValue }
  return (
    <div className="grid max-w-md gap-1">
      <TextField label="Name" placeholder="North bed" {...given} />
      <TextArea label="What grows there" {...given} />
      <SelectField label="Bed" {...look} value="north" onChange={setValue} options={OPTIONS} />
      <Checkbox
        label="Water at dawn"
        hint="Once a day"
        checked={on}
        onChange={setOn}
        disabled={look.disabled ?? false}
      />
      <CheckMark label="Selected" checked={on} onChange={setOn} disabled={look.disabled ?? false} />
    </div>
  )
}

const SPECS: readonly FilterSpec[] = [
  {
    kind: 'segmented',
    key: 'tab',
    label: 'Which',
    options: [
      { value: '', label: 'All' },
      { value: 'mine', label: 'Mine' },
    ],
  },
  { kind: 'select', key: 'bed', label: 'Bed', options: OPTIONS },
  { kind: 'search', key: 'q', label: 'Search by name' },
  { kind: 'text', key: 'actor', label: 'Actor' },
  { kind: 'date', key: 'from', label: 'From' },
]

const QUERIES = new QueryClient()

function Filtered({ first }: { first: Record<string, string | null> }) {
  const [values, setValues] = useState(first)
  const filters: Filters = {
    values,
    set: (change) => setValues({ ...values, ...change }),
    settle: () => undefined,
    clear: () => setValues({}),
    active: Object.values(values).some(Boolean),
    scope: '',
  }
  return (
    <FilterBar filters={filters} specs={SPECS} count="≥ 10,000 samples">
      <QueryClientProvider client={QUERIES}>
        <ExportList list="samples" filter={values} />
      </QueryClientProvider>
    </FilterBar>
  )
}

const PASSWORD_TEXTS = {
  newPassword: 'New password',
  newPasswordHint: 'Use at least 12 characters.',
  confirmPassword: 'Confirm password',
  passwordsDiffer: 'Passwords don’t match',
}

function Password() {
  const entry = useNewPassword()
  return (
    <div className="max-w-md">
      <NewPasswordFields entry={entry} t={(key) => PASSWORD_TEXTS[key]} />
    </div>
  )
}

export const forms: Specimen = {
  name: 'Forms and filters',
  of: [
    'draft-note.tsx',
    'export-list.tsx',
    'fields.tsx',
    'filter-bar.tsx',
    'filter-fields.tsx',
    'form.tsx',
    'new-password-fields.tsx',
  ],
  states: [
    { name: 'fields', Show: () => <Fields hint="A hint stands below." /> },
    { name: 'required', Show: () => <Fields required /> },
    { name: 'with errors', Show: () => <Fields error="This name is taken. Choose another." /> },
    { name: 'disabled', Show: () => <Fields disabled /> },
    { name: 'opened with a draft', Show: () => <DraftNote draft={{ restored: true, clear: () => {} }} /> },
    { name: 'new password', Show: Password },
    { name: 'filters', Show: () => <Filtered first={{}} /> },
    {
      name: 'filters that are on',
      Show: () => <Filtered first={{ tab: 'mine', bed: 'south', q: 'beans' }} />,
    },
  ],
}
