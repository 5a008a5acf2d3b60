import type { ReactNode } from 'react'
import { cx } from './cx.ts'

/** What scrolls by itself must be reachable by the keyboard alone. */
const REACHABLE = { tabIndex: 0 } as const

/** A wide or long piece (a table, a text) with its own scrolling, which a keyboard can reach and a screen reader names. */
export function ScrollBox({
  label,
  className,
  children,
}: {
  label: string
  className?: string
  children: ReactNode
}) {
  return (
    <section aria-label={label} {...REACHABLE} className={cx('relative overflow-auto rounded', className)}>
      {children}
    </section>
  )
}
