'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ZoneView } from '#contracts/zone.contract.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { SelectField } from '#ui/fields.tsx'
import { useReadZones } from '../use-read-zones.ts'
import type { ZoneCommand } from './zone-actions.tsx'
import { MINUTES, type Minutes } from './zone-form.tsx'

type DialogProps = { zone: ZoneView; asked: ZoneCommand; close: () => void }

/** What is asked before it is done. */
export function ZoneDialogs({ zone, asked, close }: DialogProps) {
  const t = useTranslations('zones')
  const trpc = useTRPC()
  const [minutes, setMinutes] = useState<Minutes>('1440')
  const onSuccess = useReadZones()
  const change = useToastMutation(trpc.zones.change.mutationOptions({ onSuccess }), {
    done: () => t('extended'),
  })
  const revoke = useToastMutation(trpc.zones.revoke.mutationOptions({ onSuccess }), {
    done: () => t('revoked'),
  })
  return (
    <>
      <ConfirmDialog
        open={asked === 'extend'}
        onClose={close}
        title={t('extendTitle', { name: zone.name })}
        confirmLabel={t('extend')}
        onConfirm={() => change.mutateAsync({ zone_id: zone.zone_id, minutes: Number(minutes) })}
      >
        <SelectField
          label={t('duration')}
          value={minutes}
          onChange={(value) => setMinutes(value as Minutes)}
          options={MINUTES.map((m) => ({ value: m, label: t(`durations.${m}`) }))}
        />
      </ConfirmDialog>
      <ConfirmDialog
        open={asked === 'revoke'}
        onClose={close}
        title={t('revokeTitle', { name: zone.name })}
        description={t('revokeHint')}
        confirmLabel={t('revoke')}
        tone="danger"
        onConfirm={() => revoke.mutateAsync({ zone_id: zone.zone_id })}
      />
    </>
  )
}
