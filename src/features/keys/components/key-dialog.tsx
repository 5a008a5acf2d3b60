'use client'
import { type ReactNode, useRef, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { CreatedKey } from '#contracts/key.contract.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'

type Props = {
  open: boolean
  onClose: () => void
  title: string
  description: string
  /** The form; it calls `made` with the key. */
  children: (made: (key: CreatedKey) => void) => ReactNode
}

/**
 * A form that makes a key, and then the key, this once. While it was not copied, what closes the dialog warns first: a click beside it
 * would lose the key for good.
 */
export function KeyDialog({ open, onClose, title, description, children }: Props) {
  const t = useTranslations('keys')
  const [made, setMade] = useState<CreatedKey | null>(null)
  const [copied, setCopied] = useState(false)
  const [warned, setWarned] = useState(false)
  const close = () => {
    if (made && !copied && !warned) return setWarned(true)
    setMade(null)
    setCopied(false)
    setWarned(false)
    onClose()
  }
  return (
    <Dialog
      open={open}
      onClose={close}
      title={made ? t('secretTitle') : title}
      description={made ? t('secretHint', { node: made.key.node_id }) : description}
      width="md"
    >
      {made ? (
        <Secret text={made.secret} copied={copied} onCopied={() => setCopied(true)}>
          {warned && !copied ? (
            <p role="alert" className="mt-3 text-waiting">
              {t('notCopied')}
            </p>
          ) : null}
          <div className="mt-5 flex justify-end">
            <Button kind={copied ? 'primary' : 'secondary'} onClick={close}>
              {t('done')}
            </Button>
          </div>
        </Secret>
      ) : (
        children(setMade)
      )}
    </Dialog>
  )
}

type SecretProps = { text: string; copied: boolean; onCopied: () => void; children: ReactNode }

function Secret({ text, copied, onCopied, children }: SecretProps) {
  const t = useTranslations('keys')
  const shown = useRef<HTMLElement>(null)
  /** Without a clipboard (plain HTTP on the network) the key is selected, to be copied by hand. */
  const copy = async () => {
    if (shown.current) window.getSelection()?.selectAllChildren(shown.current)
    await navigator.clipboard?.writeText(text).then(onCopied, () => undefined)
  }
  return (
    <>
      <p className="text-sm text-ink-3">{t('secret')}</p>
      <code
        ref={shown}
        className="mt-1 block select-all break-all rounded border border-line bg-hover px-3 py-2 font-mono text-sm"
      >
        {text}
      </code>
      <div className="mt-3 flex items-center gap-3">
        <Button kind={copied ? 'secondary' : 'primary'} onClick={() => void copy()} data-autofocus>
          {t('copy')}
        </Button>
        <span role="status" className="text-sm text-done">
          {copied ? t('copied') : ''}
        </span>
      </div>
      {children}
    </>
  )
}
