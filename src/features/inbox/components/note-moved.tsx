'use client'
import { useRef } from 'react'
import { useTranslations } from 'use-intl/react'
import { Button } from '#ui/button.tsx'

type Props = {
  hasMoved: boolean
  /** Goes on from the note as it is now; answers what is to be looked at next. */
  take: () => 'edit' | 'changes'
}

const FOCUS_ON = { edit: 'textarea', changes: '[role=tab]:nth-child(2)' }

/** Says that the note is no longer what its edit was made of. */
export function NoteMoved({ hasMoved, take }: Props) {
  const t = useTranslations('inbox')
  const place = useRef<HTMLDivElement>(null)
  const onTake = () => {
    const next = FOCUS_ON[take()]
    // The button goes, and the focus with it.
    place.current?.closest('form')?.querySelector<HTMLElement>(next)?.focus()
  }
  return (
    <div ref={place} role="status">
      {hasMoved ? (
        <p className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2 rounded bg-waiting-soft px-3 py-2 text-sm text-waiting">
          <span className="min-w-0 flex-1 basis-60">{t('noteMoved')}</span>
          <Button size="sm" onClick={onTake}>
            {t('takeCurrent')}
          </Button>
        </p>
      ) : null}
    </div>
  )
}
