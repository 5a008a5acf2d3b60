'use client'
import { useQueryClient } from '@tanstack/react-query'
import { usePathname } from 'next/navigation'
import { useTranslations } from 'use-intl/react'
import { isStillAt, showUrl } from '#lib/shown-path.ts'
import { toast } from '#lib/toasts.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useGo } from '#lib/use-go.ts'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { useNoteDecision } from './use-approved.ts'
import { forgetOutcome } from './use-sitting.ts'

/** What is asked to be taken back and not answered, by whichever of the places that offer it. What is refused can be asked for again. */
const inFlight = new Set<string>()
/** Whether the undo of this approval is waiting for its answer. */
export const isUndoing = (id: string): boolean => inFlight.has(id)

/**
 * Takes approvals back, each by itself and once, and leads back to the first of them, unless the reader has gone elsewhere meanwhile.
 */
export function useUndo(): { undo: (ids: readonly string[]) => void; busy: boolean } {
  const t = useTranslations('proposals')
  const trpc = useTRPC()
  const queries = useQueryClient()
  const open = useOpenProposal()
  const note = useNoteDecision()
  const { mutateAsync, isPending } = useToastMutation(
    trpc.proposals.undo.mutationOptions({
      onSuccess: ({ proposal }) => {
        forgetOutcome(proposal.proposal_id)
        note(proposal)
      },
    }),
  )
  const takeBack = (proposal_id: string) => {
    inFlight.add(proposal_id)
    return mutateAsync({ proposal_id }).finally(() => inFlight.delete(proposal_id))
  }
  const undo = async (asked: readonly string[]) => {
    const from = window.location.pathname
    const ids = asked.filter((id) => !isUndoing(id))
    const answers = await Promise.allSettled(ids.map(takeBack))
    const undone = ids.filter((_, i) => answers[i]?.status === 'fulfilled')
    const [first] = undone
    if (!first) return
    toast({ tone: 'done', text: t('undone', { count: undone.length }) })
    void queries.invalidateQueries(trpc.proposals.pathFilter())
    if (isStillAt(from)) open(first)
  }
  return { undo: (ids) => void undo(ids), busy: isPending }
}

/** Opens a proposal: beside the list where that is on screen, else on its page. */
function useOpenProposal(): (id: string) => void {
  const go = useGo()
  const here = usePathname().startsWith('/proposals')
  return (id) => {
    if (here) showUrl(`/proposals/${id}${window.location.search}`)
    else go(`/proposals/${id}`)
  }
}
