'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { ProposalView } from '#contracts/proposal.contract.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { isInConflict } from '#domain/proposal/standing.rules.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { Link } from '#ui/link.tsx'
import { useApproved } from '../hooks/use-approved.ts'

/** Warns of the approved proposal whose application will put this one into conflict; asked only while one of the same target is held. */
export function PredictedConflict({ proposal: p }: { proposal: ProposalView }) {
  const t = useTranslations('proposals')
  const trpc = useTRPC()
  const held = useApproved().some((one) => one.target.path === p.target.path)
  const isOpen = p.status === proposalMachine.events.create.to && p.freshness && !isInConflict(p.freshness)
  const { data } = useQuery({
    ...trpc.proposals.conflict.queryOptions({ proposal_id: p.proposal_id }),
    enabled: Boolean(held && isOpen),
  })
  const predicted = held && isOpen ? data?.predicted : null
  return (
    <div role="status">
      {predicted ? (
        <p className="mt-2 rounded bg-waiting-soft px-3 py-2 text-waiting">
          <span>{t('predicted', { summary: predicted.summary })}</span>{' '}
          <span>{t('predictedMerge', { overlaps: predicted.overlaps })}</span>{' '}
          <Link href={`/proposals/${predicted.proposal_id}`}>{t('predictedOpen')}</Link>
        </p>
      ) : null}
    </div>
  )
}
