'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { RunDetail } from '#contracts/run.contract.ts'
import { useAction } from '#lib/keyboard.tsx'
import { useRight } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { Confirm } from '#ui/confirm.tsx'

/** Cancels a run while that is still possible, with a reason. */
export function CancelRun({ run }: { run: RunDetail }) {
  const t = useTranslations('runs')
  const trpc = useTRPC()
  const no = useRight('run.cancel')
  const [asking, setAsking] = useState(false)
  const cancel = useToastMutation(trpc.runs.cancel.mutationOptions(), {
    done: (r) => (r.status === 'cancelled' ? t('cancelled') : t('cancelling')),
  })
  const live = run.cancellable && !run.cancel_requested
  useAction(
    live
      ? {
          id: 'runs.cancel',
          label: t('cancel'),
          keys: 'c',
          group: t('title'),
          run: () => setAsking(true),
          ...(no ? { disabledReason: no } : {}),
        }
      : null,
  )
  // What is being written stays, though the run may end meanwhile; the answer then says so.
  if (!live && !asking) return null
  return (
    <>
      <Button keys="c" disabledReason={no} onClick={() => setAsking(true)}>
        {t('cancel')}
      </Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={t('cancelTitle')}
        description={t('cancelHint')}
        confirmLabel={t('cancel')}
        dismissLabel={t('keep')}
        tone="danger"
        reason={{ min: 3, max: 256 }}
        onConfirm={(reason) => cancel.mutateAsync({ run_id: run.run_id, reason })}
      />
    </>
  )
}
