'use client'
import { useTranslations } from 'use-intl/react'

/** Says that a form was opened with an earlier draft, and offers to begin anew. */
export function DraftNote({ draft }: { draft: { restored: boolean; clear: () => void } }) {
  const t = useTranslations('ui')
  if (!draft.restored) return null
  return (
    <p role="status" className="mb-3 flex flex-wrap items-center gap-x-3 text-sm text-ink-2">
      <span>{t('draftRestored')}</span>
      <button
        type="button"
        onClick={draft.clear}
        className="text-accent hover:underline pointer-coarse:min-h-11"
      >
        {t('draftDiscard')}
      </button>
    </p>
  )
}
