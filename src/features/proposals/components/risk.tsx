'use client'
import { useTranslations } from 'use-intl/react'
import type { RiskView } from '#contracts/proposal.contract.ts'
import type { RiskLevel } from '#domain/proposal/risk.rules.ts'
import { StatusBadge, type StatusStyle } from '#ui/status-badge.tsx'

const STYLES: Record<RiskLevel, StatusStyle> = {
  high: { tone: 'failed', icon: 'shield-exclamation-point' },
  medium: { tone: 'waiting', icon: 'shield-question-mark' },
  low: { tone: 'held', icon: 'shield-check' },
}

/** How risky a proposal is, by icon and word; in a list only where it is not low. */
export function RiskBadge({ risk }: { risk: RiskView | null }) {
  const t = useTranslations('proposals')
  if (!risk || risk.level === 'low') return null
  return <StatusBadge {...STYLES[risk.level]}>{t(`riskLevels.${risk.level}`)}</StatusBadge>
}

/** The score with what it is made of: the reasons add up to it. */
export function RiskReasons({ risk }: { risk: RiskView | null }) {
  const t = useTranslations('proposals')
  if (!risk) return null
  return (
    <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1 text-sm text-ink-2" data-risk={risk.score}>
      <StatusBadge {...STYLES[risk.level]}>
        {t('riskScore', { level: t(`riskLevels.${risk.level}`), score: risk.score })}
      </StatusBadge>
      {risk.reasons.length > 0 ? (
        <ul aria-label={t('riskReasonList')} className="contents">
          {risk.reasons.map(({ code, points, count }) => (
            <li key={code}>
              <span>{t(`riskReasons.${code}`, { count })}</span>{' '}
              <span className="tabular text-ink-3">+{points}</span>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  )
}
