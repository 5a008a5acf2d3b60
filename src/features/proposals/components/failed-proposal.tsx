'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ProposalItem } from '#contracts/proposal.contract.ts'
import { onDemand } from '#lib/on-demand.tsx'
import { useRight } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { DialogOnDemand } from '#ui/dialog-on-demand.tsx'
import { useFailureText } from '../hooks/use-failure-text.ts'

const RejectDialog = onDemand(() => import('./reject-dialog.tsx').then((m) => m.RejectDialog))

/** Why an approval could not be applied: the second line of its entry. */
export function FailureOf({ proposal }: { proposal: ProposalItem }) {
  const reason = useFailureText()
  return <span className="text-failed first-letter:uppercase">{reason(proposal)}</span>
}

/** What can be done about it without opening it: nothing happens to it until somebody decides. */
export function FailedCommands({ proposal: p }: { proposal: ProposalItem }) {
  const t = useTranslations('proposals')
  const { proposals } = useTRPC()
  const [rejecting, setRejecting] = useState(false)
  const decide = useRight('proposal.decide')
  const id = { proposal_id: p.proposal_id }
  const onSuccess = useReadAgain()
  const retry = useToastMutation(proposals.retry.mutationOptions({ onSuccess }), { done: () => t('retried') })
  const reject = useToastMutation(proposals.reject.mutationOptions({ onSuccess }), {
    done: () => t('rejected'),
  })
  return (
    <>
      {p.commands.includes('retry') ? (
        <Button size="sm" busy={retry.isPending} onClick={() => retry.mutate(id)}>
          {t('retry')}
        </Button>
      ) : null}
      {p.commands.includes('reject') ? (
        <Button size="sm" disabledReason={decide} onClick={() => setRejecting(true)}>
          {t('reject')}
        </Button>
      ) : null}
      {rejecting ? (
        <DialogOnDemand onClose={() => setRejecting(false)} title={t('rejectTitle')}>
          <RejectDialog proposal={p} close={() => setRejecting(false)} submit={reject.mutateAsync}>
            {p.summary}
          </RejectDialog>
        </DialogOnDemand>
      ) : null}
    </>
  )
}

/** Lists and counts, so that what was just decided stands nowhere as if it were not. */
function useReadAgain() {
  const queries = useQueryClient()
  const { needs, proposals, system } = useTRPC()
  return () => {
    void queries.invalidateQueries(proposals.pathFilter())
    void queries.invalidateQueries(needs.pathFilter())
    void queries.invalidateQueries(system.counts.pathFilter())
  }
}
