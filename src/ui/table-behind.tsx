'use client'
import { type ReactNode, useState } from 'react'
import { useTranslations } from 'use-intl/react'

/** The numbers behind a picture, on wish: the table is mounted while it is open, and no row of it is in the way of the list of the page. */
export function TableBehind({ children }: { children: ReactNode }) {
  const t = useTranslations('ui')
  const [open, setOpen] = useState(false)
  return (
    <details className="mt-1" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="w-fit cursor-pointer text-sm text-ink-2 pointer-coarse:py-2">
        {t('showTable')}
      </summary>
      {open ? <div className="pt-2">{children}</div> : null}
    </details>
  )
}
