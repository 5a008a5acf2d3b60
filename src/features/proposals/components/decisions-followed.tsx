'use client'
import { FailureToasts } from './failure-toasts.tsx'
import { UndoTray } from './undo-tray.tsx'

export function DecisionsFollowed() {
  return (
    <>
      <UndoTray />
      <FailureToasts />
    </>
  )
}
