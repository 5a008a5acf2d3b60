'use client'
import { lazy, useSyncExternalStore } from 'react'
import { isStepUpAsked, settleStepUp, subscribeStepUp } from '#lib/step-up.ts'
import { DialogOnDemand } from '#ui/dialog-on-demand.tsx'

const StepUpDialog = lazy(() => import('./step-up-dialog.tsx').then((m) => ({ default: m.StepUpDialog })))

/** The step-up dialog for every mutation of the console; loaded on first use. */
export function StepUp() {
  const asked = useSyncExternalStore(subscribeStepUp, isStepUpAsked, () => false)
  return asked ? (
    <DialogOnDemand onClose={() => settleStepUp(false)}>
      <StepUpDialog />
    </DialogOnDemand>
  ) : null
}
