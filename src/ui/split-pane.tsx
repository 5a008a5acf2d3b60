'use client'
import { ArrowLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl/react'
import { cx } from './cx.ts'
import { Link } from './link.tsx'

type Props = {
  list: ReactNode
  /** Null when nothing is open: the list then has all the width. */
  detail: ReactNode | null
  detailLabel: string
  /** Where "back to the list" leads on a phone. */
  listHref: string
}

const PANE = 'relative min-w-0 px-4 pb-(--page-end) pt-6 md:px-8 lg:scroll-pb-(--page-end) lg:overflow-y-auto'

/** The list left, the object right, each with its own scrolling; on a phone one at a time. */
export function SplitPane({ list, detail, detailLabel, listHref }: Props) {
  const t = useTranslations('ui')
  const open = detail !== null
  return (
    <div
      className={cx(
        'grid min-h-0 flex-1 lg:h-full',
        open ? 'lg:grid-cols-[minmax(22rem,2fr)_minmax(0,3fr)]' : 'grid-cols-1',
      )}
    >
      <div className={cx(PANE, open && 'max-lg:hidden lg:border-r lg:border-line lg:px-5 print:hidden')}>
        {list}
      </div>
      {open ? (
        <section aria-label={detailLabel} className={PANE}>
          <Link
            href={listHref}
            className="mb-3 inline-flex items-center gap-1.5 text-sm lg:hidden print:hidden"
          >
            <ArrowLeft className="size-4" aria-hidden />
            {t('back')}
          </Link>
          <h1 className="sr-only lg:hidden">{detailLabel}</h1>
          {detail}
        </section>
      ) : null}
    </div>
  )
}
