'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ProposalView } from '#contracts/proposal.contract.ts'
import { isSupersedable } from '#domain/proposal/proposal-commands.rules.ts'
import { StatusBadge } from '#ui/status-badge.tsx'

/** Says that the file is no longer what it was when this proposal was opened, while a decision depends on it. */
export function FileChanged({ proposal }: { proposal: ProposalView }) {
  const t = useTranslations('proposals')
  const now = proposal.freshness?.current_hash ?? null
  const [opened] = useState(now)
  const changed = isSupersedable(proposal.status) && opened !== null && now !== null && now !== opened
  return (
    <p role="status" className={changed ? 'mt-2' : undefined}>
      {changed ? (
        <StatusBadge tone="waiting" variant="soft">
          {t('fileChanged')}
        </StatusBadge>
      ) : null}
    </p>
  )
}
