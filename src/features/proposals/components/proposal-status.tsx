'use client'
import { useTranslations } from 'use-intl/react'
import type { ProposalItem } from '#contracts/proposal.contract.ts'
import { StatusBadge } from '#ui/status-badge.tsx'
import { Countdown } from '#ui/time.tsx'
import { STATUS_STYLES } from '../status.ts'

type Shown = Pick<ProposalItem, 'status' | 'apply_not_before'>

/** The state of a proposal; an approved one counts down to its commit. */
export function ProposalStatus({
  proposal,
  variant = 'plain',
}: {
  proposal: Shown
  variant?: 'soft' | 'plain'
}) {
  const t = useTranslations('proposals')
  const holds = proposal.status === 'APPROVED' && proposal.apply_not_before
  return (
    <StatusBadge {...STATUS_STYLES[proposal.status]} variant={variant}>
      {t(`state.${proposal.status}`)}
      {holds ? (
        <>
          , {t('appliesIn')} <Countdown until={proposal.apply_not_before as string} />
        </>
      ) : null}
    </StatusBadge>
  )
}
