'use client'
import { useTranslations } from 'use-intl/react'
import type { ProposalView } from '#contracts/proposal.contract.ts'
import type { ProposalCommand } from '#domain/proposal/proposal-commands.rules.ts'
import { toast } from '#lib/toasts.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'

type Navigation = { next: () => void; open: (id: string) => void }

/** The commands on one proposal, each with its toast. The toast of an approval offers Undo while it is possible. */
export function useProposalCommands({ next, open }: Navigation) {
  const t = useTranslations('proposals')
  const trpc = useTRPC()
  const p = trpc.proposals
  const undo = useToastMutation(p.undo.mutationOptions(), { done: () => t('undone') })
  const approve = useToastMutation(
    p.approve.mutationOptions({
      onSuccess: ({ proposal }) => {
        const ms = proposal.apply_not_before
          ? Math.max(0, new Date(proposal.apply_not_before).getTime() - Date.now())
          : 0
        toast({
          tone: 'working',
          text: t('approved', { summary: proposal.summary }),
          detail: t('undoWindow', { seconds: Math.round(ms / 1_000) }),
          action: {
            label: t('undo'),
            keys: 'u',
            run: () => undo.mutate({ proposal_id: proposal.proposal_id }),
          },
          ms,
        })
        next()
      },
    }),
  )
  const reject = useToastMutation(p.reject.mutationOptions({ onSuccess: next }), {
    done: () => t('rejected'),
  })
  const successor = {
    onSuccess: (answer: { proposal: { proposal_id: string } }) => open(answer.proposal.proposal_id),
  }
  const resubmit = useToastMutation(p.resubmit.mutationOptions(successor), { done: () => t('resubmitted') })
  const revert = useToastMutation(p.revert.mutationOptions(successor), { done: () => t('reverted') })
  const retry = useToastMutation(p.retry.mutationOptions(), { done: () => t('retried') })
  const force = useToastMutation(p.force.mutationOptions(), { done: () => t('forced') })
  const discard = useToastMutation(p.discard.mutationOptions(), { done: () => t('discarded') })
  const extend = useToastMutation(p.extend.mutationOptions(), { done: () => t('extended') })
  const archive = useToastMutation(p.archive.mutationOptions(), { done: () => t('archived') })
  const unarchive = useToastMutation(p.unarchive.mutationOptions(), { done: () => t('unarchived') })

  const plain = { undo, resubmit, retry, archive, unarchive } as const
  const run = (command: ProposalCommand, proposal: ProposalView) => {
    const { proposal_id, review_digest } = proposal
    if (command === 'approve') approve.mutate({ proposal_id, review_digest })
    else if (command in plain) plain[command as keyof typeof plain].mutate({ proposal_id })
  }
  return { run, reject, force, discard, extend, revert, busy: approve.isPending }
}
export type ProposalCommands = ReturnType<typeof useProposalCommands>
