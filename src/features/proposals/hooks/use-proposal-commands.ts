'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { ProposalItem, ProposalView } from '#contracts/proposal.contract.ts'
import type { CommandAnswer, Override } from '#contracts/proposal-commands.contract.ts'
import { can } from '#domain/kernel/machine.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import type { ProposalCommand } from '#domain/proposal/proposal-commands.rules.ts'
import { isStillAt } from '#lib/shown-path.ts'
import { toast } from '#lib/toasts.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import type { Outcome } from '../sitting.ts'
import type { useAdvance } from './use-advance.ts'
import { useNoteDecision } from './use-approved.ts'
import type { Edits } from './use-edits.ts'
import { forgetOutcome, noteOutcome } from './use-sitting.ts'
import { useSnooze } from './use-snooze.ts'
import { useUndo } from './use-undo.ts'

type Id = { proposal_id: string }

export type Navigation = {
  /** On to the next one that is undecided, unless the reader has left this one. */
  next: () => void
  /** The same before the answer is there. */
  advance: ReturnType<typeof useAdvance>
  open: (id: string) => void
  /** What a command made of the proposal, for the list. */
  decided: (proposal: ProposalItem) => void
}

/** The commands on one proposal, each with its toast. What is approved can be undone from the tray. */
export function useProposalCommands({ next, advance, open, decided }: Navigation) {
  const t = useTranslations('proposals')
  const p = useTRPC().proposals
  const queries = useQueryClient()
  const note = useNoteDecision()
  const { undo } = useUndo()
  const changed = ({ proposal }: CommandAnswer) => {
    note(proposal)
    decided(proposal)
  }
  const thenNext = (outcome: Outcome) => ({
    onSuccess: (answer: CommandAnswer) => {
      noteOutcome(answer.proposal.proposal_id, outcome)
      changed(answer)
      next()
    },
  })
  const here = { onSuccess: changed }
  const approve = useToastMutation(
    p.approve.mutationOptions({
      onMutate: ({ proposal_id }) => ({ wentOn: advance.goOn(proposal_id) }),
      onError: (_, { proposal_id }) => advance.comeBack(proposal_id),
      onSuccess: (answer, { proposal_id }, { wentOn }) => {
        advance.answered(proposal_id)
        noteOutcome(proposal_id, 'approved')
        changed(answer)
        if (!wentOn) next()
      },
    }),
    { link: ({ proposal_id }) => ({ label: t('openRefused'), href: `/proposals/${proposal_id}` }) },
  )
  const reject = useToastMutation(p.reject.mutationOptions(thenNext('rejected')), {
    done: () => t('rejected'),
  })
  const edit = useToastMutation(p.edit.mutationOptions(), { done: () => t('approvedEdited') })
  /** The child is what can be undone; the one that was edited leaves the list. */
  const approveEdited = async (old: ProposalItem, edits: Pick<Edits, 'input' | 'startOver'>) => {
    const { proposal } = await edit.mutateAsync(edits.input())
    edits.startOver()
    // What is undone or fails from now on is the child.
    noteOutcome(proposal.proposal_id, 'approved')
    note(proposal)
    const superseded = { ...old, status: proposalMachine.events.discard.to, commands: [] }
    const isChild = proposal.proposal_id !== old.proposal_id
    if (isChild) forgetOutcome(old.proposal_id)
    if (isChild) note(superseded)
    decided(isChild ? superseded : proposal)
    next()
  }
  const successor = {
    onSuccess: ({ proposal }: { proposal: Id }, { proposal_id }: Id) => {
      if (isStillAt(`/proposals/${proposal_id}`)) open(proposal.proposal_id)
    },
  }
  const resubmit = useToastMutation(p.resubmit.mutationOptions(successor), { done: () => t('resubmitted') })
  const revert = useToastMutation(p.revert.mutationOptions(successor), { done: () => t('reverted') })
  const retry = useToastMutation(p.retry.mutationOptions(here), { done: () => t('retried') })
  const forced = (answer: CommandAnswer) => {
    changed(answer)
    toast(forcedToast(t, answer.proposal))
  }
  const forceFailed = useToastMutation(p.force.mutationOptions({ onSuccess: forced }))
  const forceApproval = useToastMutation(
    p.approve.mutationOptions({
      onSuccess: (answer) => {
        noteOutcome(answer.proposal.proposal_id, 'approved')
        forced(answer)
        next()
      },
      // Also where nothing stands against it any more, which the dialog is to say.
      onError: (_, { proposal_id }) => void queries.invalidateQueries(p.get.queryFilter({ proposal_id })),
    }),
  )
  /** What is still pending is forced by its approval; what has failed was approved before. */
  const force = ({ proposal_id, status, review_digest }: ProposalView, override: Override) =>
    can(proposalMachine, status, 'approve')
      ? forceApproval.mutateAsync({ proposal_id, review_digest, force: override })
      : forceFailed.mutateAsync({ proposal_id, ...override })
  const discard = useToastMutation(p.discard.mutationOptions(here), { done: () => t('discarded') })
  const extend = useToastMutation(p.extend.mutationOptions(here), { done: () => t('extended') })
  const archive = useToastMutation(p.archive.mutationOptions(here), { done: () => t('archived') })
  const unarchive = useToastMutation(p.unarchive.mutationOptions(here), { done: () => t('unarchived') })

  const { snooze, unsnooze } = useSnooze({ next, advance, open, decided: changed })

  const plain = { resubmit, unsnooze, retry, archive, unarchive } as const
  const run = (command: ProposalCommand, { proposal_id, review_digest }: ProposalView) => {
    if (command === 'approve') approve.mutate({ proposal_id, review_digest })
    else if (command === 'undo') undo([proposal_id])
    else if (command in plain) plain[command as keyof typeof plain].mutate({ proposal_id })
  }
  return {
    run,
    approveEdited,
    reject,
    snooze,
    force,
    discard,
    extend,
    revert,
    busy: approve.isPending || edit.isPending,
  }
}
export type ProposalCommands = ReturnType<typeof useProposalCommands>

/** Says what will happen to the file, for as long as it has not happened. */
function forcedToast(t: ReturnType<typeof useTranslations<'proposals'>>, forced: ProposalItem) {
  const ms = new Date(forced.apply_not_before ?? 0).getTime() - new Date(forced.decided_at ?? 0).getTime()
  const seconds = Math.max(0, Math.round(ms / 1_000))
  return { tone: 'working', text: t('forced', { path: forced.target.path, seconds }), ms } as const
}
