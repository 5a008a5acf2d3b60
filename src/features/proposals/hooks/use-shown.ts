'use client'
import { useState } from 'react'
import type { ProposalView } from '#contracts/proposal.contract.ts'
import { useChangeRequest } from './use-change-request.ts'
import type { Edits } from './use-edits.ts'

export const SHOWN = ['since', 'whole'] as const
/** What of an answer is on screen: what changed since the review, or the whole; of any other proposal the whole. */
export type Shown = (typeof SHOWN)[number]

/**
 * Opens an answer on what changed since the review. What she leaves out or writes is of the whole: while there is any, nothing else is shown, and
 * it stays in view when she is done.
 */
export function useShown(p: ProposalView, { isEdited, isWriting }: Pick<Edits, 'isEdited' | 'isWriting'>) {
  const [asked, show] = useState<Shown>('since')
  const { data, isLoading } = useChangeRequest(p)
  const files = data?.since_review
  const isOpen = isEdited || isWriting
  if (isOpen && asked === 'since') show('whole')
  const canTurn = Boolean(p.lineage.supersedes && files) && !isOpen
  const since = canTurn && asked === 'since' ? files : null
  return {
    request: data?.request ?? null,
    shown: (since ? 'since' : 'whole') as Shown,
    show,
    /** The files as they were reviewed and as they are proposed now, while that is shown. */
    since: since ?? null,
    canTurn,
    /** Until it is known what changed nothing is shown: a whole that is gone in an instant was not seen. */
    isReading: p.lineage.supersedes !== null && !isOpen && isLoading,
  }
}
export type ShownFiles = ReturnType<typeof useShown>
