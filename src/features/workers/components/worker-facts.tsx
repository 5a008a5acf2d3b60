'use client'
import { useTranslations } from 'use-intl/react'
import type { WorkerView } from '#contracts/worker.contract.ts'
import { useNow } from '#lib/clock.tsx'
import { ProgressBar } from '#ui/progress-bar.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { Countdown, RelativeTime } from '#ui/time.tsx'
import { BREAKER_STYLES, WORKER_STYLES } from '../status.ts'
import { isDrained, isUntrusted } from '../worker-state.ts'

type Props = { worker: WorkerView }

/** Whether a worker is there, in a word. */
export function WorkerStatus({ worker, variant = 'plain' }: Props & { variant?: 'soft' | 'plain' }) {
  const t = useTranslations('workers')
  return (
    <span className="whitespace-nowrap">
      <StatusBadge {...WORKER_STYLES[worker.status]} variant={variant}>
        {t(`state.${worker.status}`)}
      </StatusBadge>
    </span>
  )
}

export function LastHeartbeat({ worker: { last_heartbeat: at } }: Props) {
  const t = useTranslations('workers')
  return at === null ? (
    <span className="text-ink-3">{t('never')}</span>
  ) : (
    <RelativeTime at={at} className="text-ink-2" />
  )
}

/** How much of what a worker can do at once it does now. */
export function Load({ worker }: Props) {
  const t = useTranslations('workers')
  const { active_leases: active, capabilities } = worker
  const max = capabilities.max_concurrency
  return (
    <span className="inline-flex items-center gap-2">
      <ProgressBar
        label={t('loadLabel', { worker: worker.name })}
        value={active}
        max={max}
        tone={active < max ? 'working' : 'waiting'}
        className="w-20 min-w-12"
      />
      <span className="tabular whitespace-nowrap text-ink-2">{t('loadOf', { active, max })}</span>
    </span>
  )
}

/** The breaker of a worker; an open one counts down to the task that tries it. */
export function Breaker({ worker: { breaker } }: Props) {
  const t = useTranslations('workers')
  const { state, open_until: until } = breaker
  const counts = useNow(1_000) < (until ?? 0) && state === 'open'
  return (
    <span className="whitespace-nowrap">
      <StatusBadge {...BREAKER_STYLES[state]}>
        {counts && until !== null ? (
          <>
            {t('breakerLeft')} <Countdown until={until} />
          </>
        ) : (
          t(`breakerState.${state}`)
        )}
      </StatusBadge>
    </span>
  )
}

/** What keeps a worker from getting tasks besides its breaker: drained by a person, limited by its provider, or unable. */
export function Limits({ worker }: Props) {
  const t = useTranslations('workers')
  const { drain_reason, rate_limited_until: until, capabilities } = worker
  const now = useNow(1_000)
  const isLimited = until !== null && now < until
  const lines = [
    isDrained(worker) ? (
      <span key="drained" className="block">
        <StatusBadge tone="held">{t('drained')}</StatusBadge>
        {drain_reason ? (
          <span className="ml-1.5 break-words text-sm text-ink-2">“{drain_reason}”</span>
        ) : null}
      </span>
    ) : null,
    isLimited ? (
      <span key="limited" className="block">
        <StatusBadge tone="waiting">
          {t('rateLimited')} <Countdown until={until} />
        </StatusBadge>
      </span>
    ) : null,
    capabilities.claude_cli ? null : (
      <span key="unable" className="block">
        <StatusBadge tone="held">{t('noExecutable')}</StatusBadge>
      </span>
    ),
    isUntrusted(worker) ? (
      <span key="untrusted" className="block">
        <StatusBadge tone="held">{t('notCalled')}</StatusBadge>
      </span>
    ) : null,
  ].filter((line) => line !== null)
  return lines.length > 0 ? <span className="block">{lines}</span> : null
}

/** Whether `Limits` shows anything: a phone's card leaves the line out otherwise. */
export const hasLimits = (worker: WorkerView): boolean =>
  isDrained(worker) ||
  worker.rate_limited_until !== null ||
  !worker.capabilities.claude_cli ||
  isUntrusted(worker)
