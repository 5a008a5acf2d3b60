'use client'
import { onDemand } from '#lib/on-demand.tsx'
import type { ConfirmProps } from './confirm-dialog.tsx'
import { DialogOnDemand } from './dialog-on-demand.tsx'

const ConfirmDialog = onDemand(() => import('./confirm-dialog.tsx').then((m) => m.ConfirmDialog))

/** Asks before something is done (`confirm-dialog.tsx`), by code that no page waits for. */
export function Confirm(props: ConfirmProps) {
  return props.open ? (
    <DialogOnDemand onClose={props.onClose} title={props.title}>
      <ConfirmDialog {...props} />
    </DialogOnDemand>
  ) : null
}
