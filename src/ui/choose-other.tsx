'use client'
import { type ReactNode, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { useAction } from '#lib/keyboard.tsx'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { ErrorState } from './error-state.tsx'
import { Link } from './link.tsx'
import { Skeleton } from './skeleton.tsx'

type Props = {
  /** The act as palette and key sheet know it. */
  act: { id: string; label: string; keys: string; group: string }
  title: string
  description: string
  /** The list to choose from; it is asked for when the dialog opens. */
  children: ReactNode
}

/** A button, with its key, that opens a list of other objects, one of which is chosen. */
export function ChooseOther({ act, title, description, children }: Props) {
  const [open, setOpen] = useState(false)
  useAction({ ...act, run: () => setOpen(true) })
  return (
    <>
      <Button keys={act.keys} onClick={() => setOpen(true)}>
        {act.label}
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={title} description={description}>
        {children}
      </Dialog>
    </>
  )
}

type Other = { id: string; href: string; name: string; facts: ReactNode }
type OthersProps = {
  /** Undefined until the answer is there. */
  others: readonly Other[] | undefined
  error: unknown
  onRetry: () => void
  none: string
}

/** The objects to choose from as links; the first has the focus. */
export function OtherLinks({ others, error, onRetry, none }: OthersProps) {
  const t = useTranslations('ui')
  if (!others)
    return error ? (
      <ErrorState error={error} onRetry={onRetry} />
    ) : (
      <Skeleton lines={6} label={t('loading')} />
    )
  if (others.length === 0) return <p className="text-ink-2">{none}</p>
  return (
    <ul className="-mx-2">
      {others.map(({ id, href, name, facts }, i) => (
        <li
          key={id}
          className="flex flex-wrap items-center gap-x-3 gap-y-0.5 rounded px-2 py-1.5 hover:bg-hover"
        >
          <Link
            href={href}
            className="min-w-0 flex-1 basis-48 truncate"
            data-autofocus={i === 0 || undefined}
          >
            {name}
          </Link>
          {facts}
        </li>
      ))}
    </ul>
  )
}
