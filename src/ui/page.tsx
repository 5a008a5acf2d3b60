import type { ReactNode } from 'react'
import { cx } from './cx.ts'

/**
 * The body of a page with its margins; the one below leaves room for what floats (`--page-end`). `wide` uses all the width
 * (lists, split panes), otherwise text stays readable.
 */
export function Page({ children, wide = false }: { children: ReactNode; wide?: boolean }) {
  return (
    <div
      className={cx(
        'mx-auto w-full px-4 pb-(--page-end) pt-6 md:px-8',
        wide ? 'max-w-none' : 'max-w-[76rem]',
      )}
    >
      {children}
    </div>
  )
}
