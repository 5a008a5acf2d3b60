'use client'
import { useTranslations } from 'use-intl/react'
import type { LeadershipSummary } from '#contracts/leadership-console.contract.ts'
import { Digest } from '#ui/id.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { RelativeTime } from '#ui/time.tsx'

type Pointer = LeadershipSummary['pointer']

/** What the last push holds, in records. */
export function PushedRecords({ pointer }: { pointer: Pointer }) {
  const t = useTranslations('leadership')
  if (pointer.state === 'unreadable')
    return <StatusBadge tone="failed">{t('leaseState.unreadable')}</StatusBadge>
  if (pointer.sha256 === null) return <span className="text-ink-3">{t('neverPushed')}</span>
  return (
    <span className="tabular">
      {pointer.observations === null ? t('notKnown') : t('records', { count: pointer.observations })}
    </span>
  )
}

/** The last push in one line: when it was made, and by which node. */
export function PushedBy({ pointer }: { pointer: Pointer }) {
  const t = useTranslations('leadership')
  if (pointer.sha256 === null) return null
  return (
    <span className="text-ink-2">
      {pointer.pushed_at === null ? t('notKnown') : <RelativeTime at={pointer.pushed_at * 1_000} />}
      {pointer.pushed_by === null ? null : <> {t('pushedBy', { node: pointer.pushed_by })}</>}
    </span>
  )
}

/** The digest of the last push. */
export const PushedDigest = ({ pointer }: { pointer: Pointer }) =>
  pointer.sha256 === null ? null : <Digest value={pointer.sha256} />
