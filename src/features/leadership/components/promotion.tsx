'use client'
import { lazy } from 'react'
import type { ProjectLeadership } from '#contracts/leadership-console.contract.ts'
import { DialogOnDemand } from '#ui/dialog-on-demand.tsx'

const Dialog = lazy(() => import('./promote-dialog.tsx').then((m) => ({ default: m.PromoteDialog })))

export type PromotionProps = {
  project: ProjectLeadership
  /** The node to promote, '' to choose one in the dialog; null while nobody asks. */
  target: string | null
  onClose: () => void
}

/** The dialog of a promotion, loaded when somebody asks for one. */
export function Promotion({ project, target, onClose }: PromotionProps) {
  if (target === null) return null
  return (
    <DialogOnDemand onClose={onClose}>
      <Dialog project={project} target={target} onClose={onClose} />
    </DialogOnDemand>
  )
}
