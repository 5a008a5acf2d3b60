'use client'
import { useTranslations } from 'use-intl/react'
import type { SystemHealth } from '#contracts/system.contract.ts'
import { useLiveState } from '#lib/live.tsx'
import { cx } from '#ui/cx.ts'
import { Link } from '#ui/link.tsx'
import { useHealth } from '../use-counts.ts'

const DOT = { healthy: 'bg-done-fill', degraded: 'bg-waiting-fill', critical: 'bg-failed-fill' }

/** System health: a dot with a sentence, linked to the details. */
export function HealthDot() {
  const health = useHealth()
  const t = useTranslations('shell')
  const known = useHealthSentence(health)
  const offline = useLiveState() === 'offline'
  if (!health) return null
  const sentence = offline ? t('unknownHealthOffline') : known
  return (
    <Link
      quiet
      href="/settings"
      data-tip={sentence}
      aria-label={sentence}
      data-health={offline ? 'unknown' : health.status}
      className="grid size-8 place-items-center rounded hover:bg-hover"
    >
      <span
        className={cx(
          'size-2 rounded-full',
          offline ? 'bg-held-fill' : DOT[health.status],
          !offline && health.status !== 'healthy' && 'pulse',
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
  const ill = Object.entries(health.components).filter(
    ([, c]) => c.status !== 'healthy' && c.status !== 'not_configured',
  )
  const names = ill.map(([name]) => t(name === 'audit' ? 'auditComponent' : (name as 'ledger')))
  return health.status === 'healthy' ? t('healthy') : t(health.status, { what: names.join(', ') })
}
