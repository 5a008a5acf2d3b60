'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { AlertView } from '#contracts/alert.contract.ts'
import { alertMachine } from '#domain/alert/alert.machine.ts'
import { NOTE_MAX, NOTE_MIN } from '#domain/alert/alert.rules.ts'
import { can } from '#domain/kernel/machine.ts'
import { useRight } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { Confirm } from '#ui/confirm.tsx'

/** Takes an open alert on, with a note; nothing for one that is not open. */
export function Acknowledge({ alert, size = 'sm' }: { alert: AlertView; size?: 'sm' | 'md' }) {
  const t = useTranslations('alerts')
  const trpc = useTRPC()
  const no = useRight('alert.acknowledge')
  const [asking, setAsking] = useState(false)
  const queries = useQueryClient()
  const onSuccess = () => queries.invalidateQueries(trpc.alerts.pathFilter())
  const acknowledge = useToastMutation(trpc.alerts.acknowledge.mutationOptions({ onSuccess }), {
    done: () => t('acknowledged'),
  })
  // What is being written stays, though the alert may close meanwhile; the answer then says so.
  if (!can(alertMachine, alert.status, 'acknowledge') && !asking) return null
  return (
    <>
      <Button size={size} disabledReason={no} onClick={() => setAsking(true)}>
        {t('acknowledge')}
      </Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={t('acknowledgeTitle', { rule: t(`rules.${alert.rule}`) })}
        description={t('acknowledgeHint')}
        confirmLabel={t('acknowledge')}
        reason={{ label: t('note'), min: NOTE_MIN, max: NOTE_MAX }}
        onConfirm={(note) => acknowledge.mutateAsync({ alert_id: alert.alert_id, note })}
      />
    </>
  )
}
