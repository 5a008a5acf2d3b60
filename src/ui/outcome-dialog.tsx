'use client'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl/react'
import { Button } from './button.tsx'
import { DialogFrame } from './dialog-frame.tsx'
import { Link } from './link.tsx'

export type OutcomeItem = {
  id: string
  name: string
  href: string
  /** What became of it: a `StatusBadge`. */
  status: ReactNode
  /** Needs no attention: it went as wanted. */
  quiet?: boolean
}

type Props = {
  title: ReactNode
  description: ReactNode
  /** The accessible name of the list. */
  label: string
  /** What needs attention first. */
  items: readonly OutcomeItem[]
  close: () => void
}

/** What became of each object of a bulk command. The dialog is announced with its title and sentence. */
export function OutcomeDialog({ title, description, label, items, close }: Props) {
  const t = useTranslations('ui')
  return (
    <DialogFrame open onClose={close} title={title} description={description}>
      <ul aria-label={label} className="relative max-h-72 space-y-1 overflow-y-auto text-sm">
        {items.map(({ id, name, href, status, quiet }) => (
          <li
            key={id}
            className={quiet ? 'flex items-baseline gap-3 text-ink-2' : 'flex items-baseline gap-3'}
          >
            <Link quiet={quiet ?? false} href={href} className="min-w-0 flex-1 truncate">
              {name}
            </Link>
            {status}
          </li>
        ))}
      </ul>
      <div className="mt-5 flex justify-end">
        <Button onClick={close} data-autofocus>
          {t('close')}
        </Button>
      </div>
    </DialogFrame>
  )
}

/** The objects that a bulk command is about to change, by name. */
export function AffectedSet({ names }: { names: readonly { id: string; name: ReactNode }[] }) {
  return (
    <ul className="relative max-h-48 space-y-1 overflow-y-auto text-sm text-ink-2">
      {names.map(({ id, name }) => (
        <li key={id} className="truncate">
          {name}
        </li>
      ))}
    </ul>
  )
}
