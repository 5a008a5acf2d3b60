'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { Button } from '#ui/button.tsx'
import { TextEditor } from '#ui/lazy.tsx'

type Props = { path: string; text: string; write: (text: string) => void; leave: () => void }

/** The result of one file, edited in place: what stands here is what is approved. */
export function FileEditor({ path, text, write, leave }: Props) {
  const t = useTranslations('proposals')
  // Nothing is on screen, and so nothing can be approved, before the editor is.
  const [isOpen, setOpen] = useState(false)
  return (
    <section aria-label={path} data-diff={isOpen ? path : undefined}>
      <div className="mb-2 flex flex-wrap items-center gap-x-4 gap-y-2">
        <span className="min-w-0 break-all font-mono text-sm font-medium">{path}</span>
        <span className="text-sm text-ink-3">{t('editHint')}</span>
        <span className="ml-auto">
          <Button size="sm" onClick={leave}>
            {t('editDone')}
          </Button>
        </span>
      </div>
      <TextEditor
        label={`${t('editing')}: ${path}`}
        text={text}
        markdown={path.endsWith('.md')}
        onOpen={() => setOpen(true)}
        onChange={write}
        onLeave={leave}
      />
    </section>
  )
}
