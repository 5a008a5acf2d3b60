'use client'
import { useTranslations } from 'use-intl/react'
import { ProgressBar } from '#ui/progress-bar.tsx'
import type { Position } from '../position.ts'

/** "12 of 48 · 31 left", above a hairline of how much is done; where one fills the screen, the bar over it says so. */
export function PositionLine({ position: { at, total, left, exact } }: { position: Position }) {
  const t = useTranslations('proposals')
  return (
    <div data-chrome className="mb-3 max-lg:hidden">
      <p className="tabular mb-1 text-sm text-ink-3" data-position>
        {t(exact ? 'position' : 'positionLeast', { at, total, left })}
      </p>
      <ProgressBar
        label={t('positionDone')}
        value={total - left}
        max={total}
        tone="done"
        className="!h-0.5"
      />
    </div>
  )
}
