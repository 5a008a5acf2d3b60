'use client'
import { lazy, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { useAction } from '#lib/keyboard.tsx'
import { useRight } from '#lib/session.tsx'
import { Button } from '#ui/button.tsx'
import { DialogOnDemand } from '#ui/dialog-on-demand.tsx'
import { Icon } from '#ui/icon.tsx'

const AddNodeDialog = lazy(() => import('./add-node-dialog.tsx').then((m) => ({ default: m.AddNodeDialog })))

type Props = {
  node?: string
  /** False where it is no longer of use. What is open then stays open, the text of a new key above all. */
  offered?: boolean
  onClosed?: () => void
}

/** The button that adds a node, or, with `node`, gives one that is there a key of its own. */
export function AddNode({ node, offered = true, onClosed }: Props) {
  const t = useTranslations('nodes')
  const no = useRight('node.manage')
  const [open, setOpen] = useState(false)
  const label = node === undefined ? t('add') : t('newKey')
  const close = () => {
    setOpen(false)
    onClosed?.()
  }
  const action = {
    id: 'nodes.add',
    label,
    group: t('title'),
    run: () => setOpen(true),
    ...(node === undefined ? { keys: 'n' } : {}),
    ...(no ? { disabledReason: no } : {}),
  }
  useAction(offered ? action : null)
  if (!offered && !open) return null
  return (
    <>
      <Button
        kind={node === undefined ? 'primary' : 'secondary'}
        {...(node === undefined ? { keys: 'n', icon: <Icon name="plus" className="size-4" /> } : {})}
        disabledReason={no}
        onClick={() => setOpen(true)}
      >
        {label}
      </Button>
      {open ? (
        <DialogOnDemand onClose={close}>
          <AddNodeDialog {...(node === undefined ? {} : { node })} onClose={close} />
        </DialogOnDemand>
      ) : null}
    </>
  )
}
