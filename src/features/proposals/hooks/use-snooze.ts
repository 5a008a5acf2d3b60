'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useFormatter, useTranslations } from 'use-intl/react'
import type { CommandAnswer } from '#contracts/proposal-commands.contract.ts'
import { isStillAt } from '#lib/shown-path.ts'
import { toast } from '#lib/toasts.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import type { useAdvance } from './use-advance.ts'
import { forgetOutcome, noteOutcome } from './use-sitting.ts'

type Given = {
  next: () => void
  advance: ReturnType<typeof useAdvance>
  open: (id: string) => void
  decided: (answer: CommandAnswer) => void
}

/** Snoozes a proposal and goes on to the next at once; brings a snoozed one back. The toast says until when, and takes it back. */
export function useSnooze({ next, advance, open, decided }: Given) {
  const t = useTranslations('proposals')
  const format = useFormatter()
  const trpc = useTRPC()
  const queries = useQueryClient()
  const p = trpc.proposals
  const back = (answer: CommandAnswer) => {
    forgetOutcome(answer.proposal.proposal_id)
    decided(answer)
    void queries.invalidateQueries(trpc.proposals.list.pathFilter())
  }
  const unsnooze = useToastMutation(p.unsnooze.mutationOptions({ onSuccess: back }), {
    done: () => t('unsnoozed'),
  })
  const undo = (proposal_id: string) => {
    const from = window.location.pathname
    void unsnooze.mutateAsync({ proposal_id }).then(
      () => isStillAt(from) && open(proposal_id),
      () => undefined,
    )
  }
  const snooze = useToastMutation(
    p.snooze.mutationOptions({
      onMutate: ({ proposal_id }) => ({ wentOn: advance.goOn(proposal_id) }),
      onError: (_, { proposal_id }) => advance.comeBack(proposal_id),
      onSuccess: (answer, _, { wentOn }) => {
        const { proposal_id, snoozed_until } = answer.proposal
        advance.answered(proposal_id)
        noteOutcome(proposal_id, 'snoozed')
        decided(answer)
        if (!wentOn) next()
        const time = format.dateTime(new Date(snoozed_until ?? 0), {
          dateStyle: 'medium',
          timeStyle: 'short',
        })
        toast({
          tone: 'held',
          text: t('snoozedToast', { time }),
          action: { label: t('undoShort'), run: () => undo(proposal_id) },
        })
      },
    }),
    { link: ({ proposal_id }) => ({ label: t('openRefused'), href: `/proposals/${proposal_id}` }) },
  )
  return { snooze, unsnooze }
}
export type Snooze = ReturnType<typeof useSnooze>['snooze']
