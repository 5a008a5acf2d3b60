'use client'
import { useEffect, useRef } from 'react'
import { useTranslations } from 'use-intl/react'
import { CHANGE_REQUEST } from '#domain/proposal/change-request.rules.ts'
import { Button } from '#ui/button.tsx'
import { TextArea } from '#ui/fields.tsx'
import type { LineNotes } from '#ui/line-notes.tsx'
import type { ChangeDraft, CommentPlace } from '../hooks/use-change-draft.ts'

/** The drafted comments on the lines of one file. */
export function lineNotesOf(draft: ChangeDraft, path: string): LineNotes | undefined {
  if (!draft.isOffered) return undefined
  return {
    add: (at) => draft.open({ ...at, path }),
    beneath: (at) => {
      const place = { ...at, path }
      if (draft.isWriting(place)) return <CommentField draft={draft} place={place} />
      return draft.bodyAt(place) ? <Drafted draft={draft} place={place} /> : null
    },
  }
}

type Props = { draft: ChangeDraft; place: CommentPlace }
const FRAME = 'border-y border-line bg-accent-soft px-3 py-2'

/** The focus goes to the button of the line that the comment stands at. */
function focusLine({ path, side, line }: CommentPlace) {
  const diff = document.querySelector(`[data-diff="${CSS.escape(path)}"]`)
  diff?.querySelector<HTMLElement>(`[data-comment="${side}:${line}"]`)?.focus()
}

function removed(draft: ChangeDraft, place: CommentPlace) {
  draft.remove(place)
  focusLine(place)
}

function CommentField({ draft, place }: Props) {
  const t = useTranslations('proposals')
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => frame.current?.querySelector('textarea')?.focus({ preventScroll: true }), [])
  const leave = () => {
    draft.done(place)
    focusLine(place)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the field inside
    <div
      ref={frame}
      className={FRAME}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' && !(event.key === 'Enter' && (event.ctrlKey || event.metaKey))) return
        event.preventDefault()
        event.stopPropagation()
        leave()
      }}
    >
      <TextArea
        label={t('commentOn', { line: place.line })}
        value={draft.bodyAt(place) ?? ''}
        onChange={(body) => draft.write(place, body)}
        maxLength={CHANGE_REQUEST.body}
        rows={2}
      />
      <div className="mt-2 flex gap-2">
        <Button size="sm" kind="primary" onClick={leave}>
          {t('commentDone')}
        </Button>
        <Button size="sm" kind="quiet" onClick={() => removed(draft, place)}>
          {t('commentRemove')}
        </Button>
      </div>
    </div>
  )
}

function Drafted({ draft, place }: Props) {
  const t = useTranslations('proposals')
  return (
    <div role="note" aria-label={t('commentDraft')} className={FRAME}>
      <p className="max-w-prose whitespace-pre-line break-words">{draft.bodyAt(place)}</p>
      <div className="mt-1 flex gap-2">
        <Button size="sm" kind="quiet" onClick={() => draft.open(place)}>
          {t('commentEdit')}
        </Button>
        <Button size="sm" kind="quiet" onClick={() => removed(draft, place)}>
          {t('commentRemove')}
        </Button>
      </div>
    </div>
  )
}
