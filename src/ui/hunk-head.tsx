'use client'
import { useId } from 'react'
import { useTranslations } from 'use-intl/react'
import type { HunkChoice } from './diff-view.tsx'
import { CheckMark } from './fields.tsx'

/** Above a hunk: whether it is taken. */
export function HunkHead({ n, total, choice }: { n: number; total: number; choice: HunkChoice }) {
  const t = useTranslations('ui')
  const id = useId()
  const isTaken = choice.accepted.includes(n)
  return (
    <div className="flex min-h-8 items-center gap-2 bg-sunken px-3 pointer-coarse:min-h-11">
      <CheckMark
        id={id}
        checked={isTaken}
        disabled={choice.disabledReason !== undefined}
        onChange={() => choice.toggle(n)}
      />
      <label htmlFor={id} className="flex-1 text-xs text-ink-2">
        {t('hunk', { n, total })} · {isTaken ? t('hunkTaken') : t('hunkLeftOut')}
      </label>
    </div>
  )
}
