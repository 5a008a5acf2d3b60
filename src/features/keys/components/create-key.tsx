'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { CreatedKey } from '#contracts/key.contract.ts'
import { PaletteAction } from '#lib/palette-action.tsx'
import { useRight } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { Button } from '#ui/button.tsx'
import { TextField } from '#ui/fields.tsx'
import { Form } from '#ui/form.tsx'
import { useKeyMutation } from '../use-key-mutation.ts'
import { KeyDialog } from './key-dialog.tsx'
import { daysOf, type Lifetime, LifetimeField } from './lifetime-field.tsx'

/** Creates a key for a node and shows it once. */
export function CreateKey() {
  const t = useTranslations('keys')
  const no = useRight('key.manage')
  const [open, setOpen] = useState(false)
  return (
    <>
      {no ? null : (
        <PaletteAction id="keys.create" label={t('create')} group={t('title')} run={() => setOpen(true)} />
      )}
      <Button disabledReason={no} onClick={() => setOpen(true)}>
        {t('create')}
      </Button>
      <KeyDialog open={open} onClose={() => setOpen(false)} title={t('create')} description={t('createHint')}>
        {(made) => <CreateForm made={made} />}
      </KeyDialog>
    </>
  )
}

function CreateForm({ made }: { made: (key: CreatedKey) => void }) {
  const t = useTranslations('keys')
  const trpc = useTRPC()
  const [node, setNode] = useState('')
  const [name, setName] = useState('')
  const [lifetime, setLifetime] = useState<Lifetime>('365')
  const create = useKeyMutation(trpc.keys.create.mutationOptions(), { made, done: t('keyCreated') })
  const ready = node.trim() !== '' && name.trim() !== ''
  const submit = () => {
    if (!ready || create.isPending) return
    create.mutate({
      kind: 'node',
      node_id: node.trim(),
      name: name.trim(),
      expires_in_days: daysOf(lifetime),
    })
  }
  return (
    <Form onSubmit={submit}>
      <TextField
        label={t('node')}
        hint={t('nodeHint')}
        value={node}
        onChange={setNode}
        error={create.faults.node_id}
        maxLength={128}
        required
        autoFocus
        mono
      />
      <TextField
        label={t('name')}
        hint={t('nameHint')}
        value={name}
        onChange={setName}
        error={create.faults.name}
        maxLength={100}
        required
      />
      <LifetimeField value={lifetime} onChange={setLifetime} />
      {create.faults.node ? (
        <p role="alert" className="mt-3 text-failed">
          {create.faults.node}
        </p>
      ) : null}
      <div className="mt-5 flex justify-end">
        <Button kind="primary" type="submit" busy={create.isPending} disabled={!ready}>
          {t('create')}
        </Button>
      </div>
    </Form>
  )
}
