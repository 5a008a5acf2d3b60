import type { ReactNode } from 'react'
import { cx } from './cx.ts'

/** What scrolls by itself must be reachable by the keyboard alone. */
const REACHABLE = { tabIndex: 0 } as const

/**
 * A wide or long piece (a table, a text) with its own scrolling, which a keyboard can reach and a screen reader names. A group and no landmark: a note
 * has many of them, under one name.
 */
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
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is of forms
    <div
      role="group"
      aria-label={label}
      {...REACHABLE}
      className={cx('relative overflow-auto rounded', className)}
    >
      {children}
    </div>
  )
}
