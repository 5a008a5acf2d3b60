'use client'
import { lazy, Suspense } from 'react'
import type { ProjectLeadership } from '#contracts/leadership-console.contract.ts'

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
    <Suspense fallback={null}>
      <Dialog project={project} target={target} onClose={onClose} />
    </Suspense>
  )
}
