'use client'
import { lazy, Suspense, useSyncExternalStore } from 'react'
import { isStepUpAsked, subscribeStepUp } from '#lib/step-up.ts'

const StepUpDialog = lazy(() => import('./step-up-dialog.tsx').then((m) => ({ default: m.StepUpDialog })))

/** The step-up dialog for every mutation of the console; loaded on first use. */
export function StepUp() {
  const asked = useSyncExternalStore(subscribeStepUp, isStepUpAsked, () => false)
  return asked ? (
    <Suspense>
      <StepUpDialog />
    </Suspense>
  ) : null
}
