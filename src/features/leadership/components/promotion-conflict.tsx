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
  const { winner, holder, age_seconds: age, loss } = conflict
  const time = formatDuration((age ?? 0) * 1_000, locale)
  const lines = [
    winner
      ? winner.selected_by === null
        ? t('refusedWinner', { node: winner.primary_node_id, epoch: winner.epoch })
        : t('refusedWinnerBy', {
            node: winner.primary_node_id,
            epoch: winner.epoch,
            actor: winner.selected_by,
          })
      : null,
    age === undefined || age === null ? null : t('refusedPush', { node: holder ?? t('found.someone'), time }),
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
