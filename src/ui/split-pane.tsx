'use client'
import { type ReactNode, useRef } from 'react'
import { useTranslations } from 'use-intl/react'
import { cx } from './cx.ts'
import { Icon } from './icon.tsx'
import { Link } from './link.tsx'
import { useSharedScroll } from './use-shared-scroll.ts'

type Props = {
  list: ReactNode
  /** Null when nothing is open: the list then has all the width. */
  detail: ReactNode | null
  detailLabel: string
  /** What is open, where one follows the other in the same place: each starts at its top. */
  detailKey?: string | null
  /** Where "back to the list" leads on a phone. */
  listHref: string
  /** Beside the way back on a phone: where one stands, and the ways on. */
  bar?: ReactNode
}

const PANE = 'relative min-w-0 px-4 pb-(--page-end) pt-6 md:px-8 lg:scroll-pb-(--page-end) lg:overflow-y-auto'
/** The head of the list sticks to the top edge of the pane: sticking leaves out a padding of its own, through which rows would show. */
const LIST = 'lg:pt-0 lg:before:block lg:before:h-6'

/** Stays in view while the object is read. */
const BAR =
  'sticky top-[env(safe-area-inset-top)] z-10 -mx-4 -mt-6 mb-4 flex items-center border-b border-line bg-canvas px-4 md:-mx-8 md:px-8 lg:hidden'

/** The list left, the object right, each with its own scrolling; on a phone one at a time. */
export function SplitPane({ list, detail, detailLabel, detailKey, listHref, bar }: Props) {
  const t = useTranslations('ui')
  const open = detail !== null
  const root = useRef<HTMLDivElement>(null)
  useSharedScroll({ root, openKey: open ? (detailKey ?? '') : null })
  return (
    <div
      ref={root}
      className={cx(
        'grid min-h-0 flex-1 lg:h-full',
        open ? 'lg:grid-cols-[minmax(22rem,2fr)_minmax(0,3fr)]' : 'grid-cols-1',
      )}
    >
      <div
        className={cx(PANE, LIST, open && 'max-lg:hidden lg:border-r lg:border-line lg:px-5 print:hidden')}
      >
        {list}
      </div>
      {open ? (
        <section aria-label={detailLabel} className={PANE}>
          <div className={BAR} data-chrome>
            <Link
              href={listHref}
              className="-ml-3 inline-flex min-h-11 min-w-11 items-center justify-center gap-1.5 px-3 text-sm"
            >
              <Icon name="arrow-left" className="size-4" />
              <span className={cx(bar && 'sr-only')}>{t('back')}</span>
            </Link>
            {bar}
          </div>
          <h1 className="sr-only lg:hidden">{detailLabel}</h1>
          {detail}
        </section>
      ) : null}
    </div>
  )
}
