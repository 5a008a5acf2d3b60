'use client'
import { useTranslations } from 'use-intl/react'
import { isMissing, toFault } from '#lib/fault.ts'
import { buttonClass } from './button-class.ts'
import { EmptyState } from './empty-state.tsx'
import { ErrorState } from './error-state.tsx'
import { Link } from './link.tsx'

type Props = {
  error: unknown
  onRetry: () => void
  /** The id in the address. */
  id: string
  /** Where objects of this kind are listed. */
  listHref: string
}

/** In place of an object that could not be read. One that is not there is no failure, and asking again would not bring it. */
export function ObjectError({ error, onRetry, id, listHref }: Props) {
  if (!isMissing(toFault(error))) return <ErrorState error={error} onRetry={onRetry} />
  return <MissingObject id={id} listHref={listHref} />
}

/** There is no such object, or this reader may not see it. `as` makes its sentence the heading of a page that has no other. */
export function MissingObject({ id, listHref, as }: Pick<Props, 'id' | 'listHref'> & { as?: 'h1' }) {
  const t = useTranslations('ui')
  return (
    <EmptyState
      title={t('noObject')}
      {...(as ? { as } : {})}
      action={
        <Link href={listHref} className={buttonClass('secondary')}>
          {t('showAll')}
        </Link>
      }
    >
      <code className="break-all font-mono text-sm">{id}</code>
    </EmptyState>
  )
}
