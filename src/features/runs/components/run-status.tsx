'use client'
import { useTranslations } from 'use-intl/react'
import type { RunRow } from '#contracts/run.contract.ts'
import { StatusBadge } from '#ui/status-badge.tsx'
import { STATUS_STYLES } from '../status.ts'

/** The state of a run in a word. */
export function RunStatus({
  status,
  variant = 'plain',
}: {
  status: RunRow['status']
  variant?: 'soft' | 'plain'
}) {
  const t = useTranslations('runs')
  return (
    <StatusBadge {...STATUS_STYLES[status]} variant={variant}>
      {t(`state.${status}`)}
    </StatusBadge>
  )
}
