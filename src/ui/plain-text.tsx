'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { Button } from './button.tsx'

/** Laying out more at once would hold up the page. */
const AT_ONCE = 100_000

/** A text as it is written; a long one in parts. */
export function PlainText({ text }: { text: string }) {
  const t = useTranslations('ui')
  const [shown, setShown] = useState(AT_ONCE)
  const left = text.length - shown
  return (
    <>
      <pre className="relative overflow-x-auto whitespace-pre-wrap break-words rounded bg-sunken px-4 py-3 font-mono text-sm leading-6">
        {left > 0 ? text.slice(0, shown) : text}
      </pre>
      {left > 0 ? (
        <Button onClick={() => setShown(shown + AT_ONCE)}>{t('showRest', { count: left })}</Button>
      ) : null}
    </>
  )
}
