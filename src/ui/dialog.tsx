'use client'
import { onDemand } from '#lib/on-demand.tsx'
import type { DialogProps } from './dialog-frame.tsx'
import { DialogOnDemand } from './dialog-on-demand.tsx'

const DialogFrame = onDemand(() => import('./dialog-frame.tsx').then((m) => m.DialogFrame))

/** A modal dialog (`dialog-frame.tsx`), whose code no page waits for. What it contains may be on demand, too. */
export function Dialog(props: DialogProps) {
  return props.open ? (
    <DialogOnDemand onClose={props.onClose} title={props.title}>
      <DialogFrame {...props} />
    </DialogOnDemand>
  ) : null
}
