'use client'
import { type ReactNode, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { may } from '#domain/authority/matrix.ts'
import { useAction } from '#lib/keyboard.tsx'
import { useRight, useSession } from '#lib/session.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'

type Props = {
  /** Of its action in the palette. */
  id: string
  label: string
  keys: string
  title: string
  /** A sentence below the title. */
  description?: string
  primary?: boolean
  /** The form, which closes the dialog once it was sent. */
  children: (close: () => void) => ReactNode
}

/** A button whose dialog proposes something: through the Inbox like everything else, decided afterwards. Nothing for those who may never propose. */
export function ProposeButton(props: Props) {
  return may(useSession().role, 'inbox.submit') ? <Offered {...props} /> : null
}

function Offered({ id, label, keys, title, description, primary = false, children }: Props) {
  const t = useTranslations('inbox')
  const no = useRight('inbox.submit')
  const [open, setOpen] = useState(false)
  const close = () => setOpen(false)
  useAction({
    id,
    label,
    keys,
    group: t('title'),
    run: () => setOpen(true),
    ...(no ? { disabledReason: no } : {}),
  })
  return (
    <>
      <Button
        kind={primary ? 'primary' : 'secondary'}
        keys={keys}
        disabledReason={no}
        onClick={() => setOpen(true)}
      >
        {label}
      </Button>
      <Dialog open={open} onClose={close} width="lg" title={title} description={description}>
        {children(close)}
      </Dialog>
    </>
  )
}
