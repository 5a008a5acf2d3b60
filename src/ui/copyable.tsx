'use client'
import { type ReactNode, useRef, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { showKey } from '#lib/keys.ts'
import { Button } from './button.tsx'
import { isApple } from './kbd.tsx'
import { ScrollBox } from './scroll-box.tsx'

type Props = {
  text: string
  /** What the text is; names its box. */
  name: string
  /** The label of the button. */
  label: ReactNode
  primary?: boolean
  /** Breaks lines anywhere, for one long word. */
  wrap?: boolean
  /** Where the dialog around it starts. */
  autoFocus?: boolean
  onCopied?: () => void
}

/**
 * A text to take along, with a button that copies it. Without a clipboard, or with one that refuses (plain HTTP on the network), the text is
 * selected and the keys are named; copying all of it by hand counts the same.
 */
export function Copyable({ text, name, label, primary, wrap, autoFocus, onCopied }: Props) {
  const t = useTranslations('ui')
  const shown = useRef<HTMLPreElement>(null)
  const [outcome, setOutcome] = useState<'copied' | 'by hand' | null>(null)
  const done = () => {
    setOutcome('copied')
    onCopied?.()
  }
  const copy = async () => {
    if (shown.current) window.getSelection()?.selectAllChildren(shown.current)
    if (!navigator.clipboard) return setOutcome('by hand')
    await navigator.clipboard.writeText(text).then(done, () => setOutcome('by hand'))
  }
  return (
    <>
      <ScrollBox label={name} className="border border-line bg-hover px-3 py-2">
        <pre
          ref={shown}
          onCopy={() => isAllSelected(text) && done()}
          className={`select-all font-mono text-sm ${wrap ? 'whitespace-pre-wrap break-all' : 'w-max'}`}
        >
          {text.trimEnd()}
        </pre>
      </ScrollBox>
      <div className="mt-2 flex flex-wrap items-center gap-3">
        <Button
          size="sm"
          kind={primary ? 'primary' : 'secondary'}
          onClick={() => void copy()}
          data-autofocus={autoFocus || undefined}
        >
          {label}
        </Button>
        <span role="status" className={`text-sm ${outcome === 'copied' ? 'text-done' : 'text-waiting'}`}>
          {outcome === 'copied' ? t('copied') : null}
          {outcome === 'by hand' ? t('copyByHand', { keys: showKey('mod+C', isApple()).join('+') }) : null}
        </span>
      </div>
    </>
  )
}

const isAllSelected = (text: string): boolean =>
  bare(window.getSelection()?.toString() ?? '').includes(bare(text))
const bare = (text: string): string => text.replace(/\s+/g, '')
