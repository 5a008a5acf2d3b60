'use client'
import { useTranslations } from 'use-intl/react'
import { buttonClass } from '#ui/button-class.ts'
import { EmptyState } from '#ui/empty-state.tsx'

type Props = { error: Error & { digest?: string }; reset: () => void }

/**
 * What is shown when a page outside the frame crashed, or the frame itself. The framework loads it before every page, apart from what
 * the pages share, so it takes no more of the kit than it must.
 */
export function CrashedOutside({ error, reset }: Props) {
  const t = useTranslations('shell')
  const tu = useTranslations('ui')
  const again = (
    <button type="button" className={buttonClass()} onClick={reset}>
      {tu('retry')}
    </button>
  )
  return (
    <EmptyState title={t('crashed')} action={again}>
      <p>{t('crashedText')}</p>
      {error.digest ? <p className="mt-2 select-all font-mono text-sm">{error.digest}</p> : null}
    </EmptyState>
  )
}
