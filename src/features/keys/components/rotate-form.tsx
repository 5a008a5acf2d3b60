'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { CreatedKey, KeyView } from '#contracts/key.contract.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { Button } from '#ui/button.tsx'
import { SelectField } from '#ui/fields.tsx'
import { Form } from '#ui/form.tsx'
import { useKeyMutation } from '../use-key-mutation.ts'
import { daysOf, type Lifetime, LifetimeField } from './lifetime-field.tsx'

const HANDOVERS = ['1', '24', '168', 'never'] as const
type Handover = (typeof HANDOVERS)[number]

/** How long the successor of a key is valid, and when the key itself ends. */
export function RotateForm({ of, made }: { of: Pick<KeyView, 'key_id'>; made: (key: CreatedKey) => void }) {
  const t = useTranslations('keys')
  const trpc = useTRPC()
  const [lifetime, setLifetime] = useState<Lifetime>('365')
  const [handover, setHandover] = useState<Handover>('24')
  const rotate = useKeyMutation(trpc.keys.rotate.mutationOptions(), { made, done: t('keyCreated') })
  const submit = () => {
    if (rotate.isPending) return
    rotate.mutate({
      key_id: of.key_id,
      expires_in_days: daysOf(lifetime),
      previous_ends_in_hours: handover === 'never' ? null : Number(handover),
    })
  }
  return (
    <Form onSubmit={submit}>
      <SelectField
        label={t('handover')}
        value={handover}
        onChange={(value) => setHandover(value as Handover)}
        options={HANDOVERS.map((hours) => ({ value: hours, label: t(`handovers.${hours}`) }))}
        autoFocus
      />
      <LifetimeField value={lifetime} onChange={setLifetime} />
      {rotate.faults.node ? (
        <p role="alert" className="mt-3 text-failed">
          {rotate.faults.node}
        </p>
      ) : null}
      <div className="mt-5 flex justify-end">
        <Button kind="primary" type="submit" busy={rotate.isPending}>
          {t('rotate')}
        </Button>
      </div>
    </Form>
  )
}
