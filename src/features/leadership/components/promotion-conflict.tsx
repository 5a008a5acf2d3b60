'use client'
import { useLocale, useTranslations } from 'use-intl/react'
import type { ProjectLeadership, PromotionConflict } from '#contracts/leadership-console.contract.ts'
import { formatDuration } from '#lib/duration.ts'
import { Button } from '#ui/button.tsx'

type StaleProps = { shown: ProjectLeadership; now: ProjectLeadership; onReview: () => void }

/** Somebody changed the lease while the dialog was open: who leads now, before anything is sent. */
export function Stale({ shown, now, onReview }: StaleProps) {
  const t = useTranslations('leadership')
  return (
    <div role="alert" className="mb-3 rounded border border-waiting/40 bg-waiting-soft px-3 py-2">
      <p className="font-medium text-ink">{t('stale')}</p>
      <p className="text-ink-2">
        {now.primary_node_id === null || now.epoch === null
          ? t('staleNone')
          : t('staleText', { node: now.primary_node_id, epoch: now.epoch, shown: shown.epoch ?? 0 })}
      </p>
      <Button size="sm" className="mt-2" onClick={onReview}>
        {t('review')}
      </Button>
    </div>
  )
}

/** Why a promotion was refused, beside the sentence of its code: who won, who pushes, or what would be lost now. */
export function Refused({ conflict }: { conflict: PromotionConflict }) {
  const t = useTranslations('leadership')
  const locale = useLocale() as 'en' | 'uk'
  const { lease, selected_by: actor, lock, loss } = conflict
  const winner = lease ? { node: lease.primary_node_id, epoch: lease.epoch } : null
  const lines = [
    winner && (actor ? t('refusedWinnerBy', { ...winner, actor }) : t('refusedWinner', winner)),
    lock
      ? t('refusedPush', {
          node: lock.node_id ?? t('found.someone'),
          time: formatDuration(lock.age_seconds * 1_000, locale),
        })
      : null,
    loss === undefined ? null : loss === null ? t('refusedLossUnknown') : t('refusedLoss', { count: loss }),
  ].filter((line): line is string => line !== null)
  return lines.length === 0 ? null : (
    <div className="mt-3 text-ink">
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
    </div>
  )
}
