'use client'
import { useTranslations } from 'use-intl/react'
import type { ProposalView } from '#contracts/proposal.contract.ts'
import type { ProposalCommand } from '#domain/proposal/proposal-commands.rules.ts'
import { toast } from '#lib/toasts.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useAct } from '#lib/use-act.ts'

type Where = { next: () => void; open: (id: string) => void }

/** The commands over one proposal with what each says when it is done. Approving shows the way back while it lasts. */
export function useProposalActs({ next, open }: Where) {
  const t = useTranslations('proposals')
  const trpc = useTRPC()
  const p = trpc.proposals
  const undo = useAct(p.undo.mutationOptions(), { done: () => t('undone') })
  const approve = useAct(
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
  const reject = useAct(p.reject.mutationOptions({ onSuccess: next }), { done: () => t('rejected') })
  const successor = {
    onSuccess: (answer: { proposal: { proposal_id: string } }) => open(answer.proposal.proposal_id),
  }
  const resubmit = useAct(p.resubmit.mutationOptions(successor), { done: () => t('resubmitted') })
  const revert = useAct(p.revert.mutationOptions(successor), { done: () => t('reverted') })
  const retry = useAct(p.retry.mutationOptions(), { done: () => t('retried') })
  const force = useAct(p.force.mutationOptions(), { done: () => t('forced') })
  const discard = useAct(p.discard.mutationOptions(), { done: () => t('discarded') })
  const extend = useAct(p.extend.mutationOptions(), { done: () => t('extended') })
  const archive = useAct(p.archive.mutationOptions(), { done: () => t('archivedDone') })
  const unarchive = useAct(p.unarchive.mutationOptions(), { done: () => t('unarchived') })

  const plain = { undo, resubmit, retry, archive, unarchive } as const
  const give = (command: ProposalCommand, proposal: ProposalView) => {
    const { proposal_id, review_digest } = proposal
    if (command === 'approve') approve.mutate({ proposal_id, review_digest })
    else if (command in plain) plain[command as keyof typeof plain].mutate({ proposal_id })
  }
  return { give, reject, force, discard, extend, revert, busy: approve.isPending }
}
export type ProposalActs = ReturnType<typeof useProposalActs>
