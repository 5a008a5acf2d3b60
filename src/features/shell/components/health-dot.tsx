'use client'
import { useTranslations } from 'use-intl/react'
import type { SystemHealth } from '#contracts/system.contract.ts'
import { shownHealth, troubled } from '#lib/health.ts'
import { useLiveState } from '#lib/live.tsx'
import { cx } from '#ui/cx.ts'
import { Link } from '#ui/link.tsx'
import { useHealth } from '../use-counts.ts'

const DOT = {
  healthy: 'bg-done-fill',
  degraded: 'bg-waiting-fill',
  critical: 'bg-failed-fill',
  unknown: 'bg-held-fill',
}

/** System health: a dot with a sentence, linked to the details. */
export function HealthDot() {
  const health = useHealth()
  const t = useTranslations('shell')
  const known = useHealthSentence(health)
  const offline = useLiveState() === 'offline'
  if (!health) return null
  const sentence = offline ? t('unknownHealthOffline') : known
  const shown = offline ? 'unknown' : shownHealth(health)
  return (
    <Link
      quiet
      href="/settings"
      data-tip={sentence}
      aria-label={sentence}
      data-health={shown}
      className="grid size-8 place-items-center rounded hover:bg-hover"
    >
      <span
        className={cx(
          'size-2 rounded-full',
          DOT[shown],
          (shown === 'degraded' || shown === 'critical') && 'pulse',
        )}
        aria-hidden
      />
    </Link>
  )
}

/** The health in one sentence, naming what is degraded. */
export function useHealthSentence(health: SystemHealth | undefined): string {
  const t = useTranslations('shell')
  if (!health) return t('unknownHealth')
  const shown = shownHealth(health)
  if (shown === 'healthy') return t('healthy')
  if (shown === 'unknown') return t('checkingHealth')
  const names = troubled(health.components).map(([name]) =>
    t(name === 'audit' ? 'auditComponent' : (name as 'ledger')),
  )
  return t(shown, { what: names.join(', ') })
}
