'use client'
import { lazy, Suspense, useSyncExternalStore } from 'react'
import { isStepUpAsked, subscribeStepUp } from '#lib/step-up.ts'

const StepUpDialog = lazy(() => import('./step-up-dialog.tsx').then((m) => ({ default: m.StepUpDialog })))

/** Where the password is asked for once more, for every mutation of the console; loaded when it first is. */
export function StepUp() {
  const asked = useSyncExternalStore(subscribeStepUp, isStepUpAsked, () => false)
  return asked ? (
    <Suspense>
      <StepUpDialog />
    </Suspense>
  ) : null
}
