'use client'
import { useTranslations } from 'use-intl/react'
import type { LiveState } from '#lib/live-connection.ts'
import { cx } from './cx.ts'

const DOT: Record<LiveState, string> = {
  live: 'bg-done-fill',
  connecting: 'bg-held-fill pulse',
  polling: 'bg-waiting-fill pulse',
  offline: 'bg-failed-fill',
}

/** How changes reach the page: live · polling · offline, as word and dot. */
export function LiveIndicator({ state }: { state: LiveState }) {
  const t = useTranslations('live')
  const hint = state === 'connecting' ? t('connecting') : t(`${state}Hint`)
  return (
    <span
      role="status"
      data-live={state}
      data-tip={hint}
      className="inline-flex items-center gap-1.5 text-sm text-ink-3"
    >
      <span className={cx('size-1.5 rounded-full', DOT[state])} aria-hidden />
      {t(state)}
    </span>
  )
}
