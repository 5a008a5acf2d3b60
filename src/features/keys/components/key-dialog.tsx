'use client'
import { type ReactNode, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { CreatedKey } from '#contracts/key.contract.ts'
import { Button } from '#ui/button.tsx'
import { Copyable } from '#ui/copyable.tsx'
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
        <>
          <p className="mb-1 text-sm text-ink-3">{t('secret')}</p>
          <Copyable
            text={made.secret}
            name={t('secret')}
            label={t('copy')}
            primary={!copied}
            wrap
            autoFocus
            onCopied={() => setCopied(true)}
          />
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
        </>
      ) : (
        children(setMade)
      )}
    </Dialog>
  )
}
