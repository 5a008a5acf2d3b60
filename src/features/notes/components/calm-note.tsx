'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { NoteView } from '#contracts/note.contract.ts'
import { Button } from '#ui/button.tsx'

type Calm = { shown: NoteView | undefined; changed: boolean; show: () => void }

/**
 * The note as the reader began to read it: another text waits until the reader asks for it. What stands around the same text (links, comments,
 * its rendering) is renewed at once.
 */
export function useCalmNote(latest: NoteView | undefined): Calm {
  const [shown, setShown] = useState(latest)
  const isSameText = shown === undefined || latest === undefined || sameText(shown, latest)
  if (isSameText && latest !== undefined && shown !== latest) setShown(latest)
  return {
    // A note that is gone, or no longer the reader's, is taken away at once.
    shown: latest === undefined ? undefined : isSameText ? latest : shown,
    changed: !isSameText,
    show: () => setShown(latest),
  }
}

const sameText = (a: NoteView, b: NoteView): boolean => a.path !== b.path || a.sha256 === b.sha256

export function ChangedNotice({ show }: { show: () => void }) {
  const t = useTranslations('notes')
  return (
    <div
      role="status"
      data-chrome
      className="sticky top-2 z-10 mb-4 flex flex-wrap items-center gap-x-4 gap-y-2 rounded border border-line bg-working-soft px-3 py-2 text-sm text-working"
    >
      <span className="flex-1">{t('noteChanged')}</span>
      <Button size="sm" onClick={show}>
        {t('showChanged')}
      </Button>
    </div>
  )
}
