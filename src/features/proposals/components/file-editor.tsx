'use client'
import { useRef, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { useAction } from '#lib/keyboard.tsx'
import { Button } from '#ui/button.tsx'
import { TextEditor } from '#ui/lazy.tsx'

type Props = { path: string; text: string; write: (text: string) => void; leave: () => void }

/** They would leave the text for another file or proposal. */
const AWAY = ['j', 'k', 'J', 'K', 'ArrowDown', 'ArrowUp', 'Enter', ']', '[']

/** The result of one file, edited in place: what stands here is what is approved. */
export function FileEditor({ path, text, write, leave }: Props) {
  const t = useTranslations('proposals')
  // Nothing is on screen, and so nothing can be approved, before the editor is.
  const [isOpen, setOpen] = useState(false)
  const root = useRef<HTMLElement>(null)
  // Where the focus was lost, the keys of the page lead back to the text and nowhere else.
  const back = () => root.current?.querySelector<HTMLElement>('[role=textbox]')?.focus()
  useAction({
    id: 'proposals.editing',
    label: t('editing'),
    keys: AWAY,
    group: t('title'),
    run: back,
    palette: false,
  })
  return (
    <section ref={root} aria-label={path} data-writing data-diff={isOpen ? path : undefined}>
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
