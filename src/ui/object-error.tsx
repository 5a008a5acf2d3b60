'use client'
import { useTranslations } from 'use-intl/react'
import { toFault } from '#lib/fault.ts'
import { buttonClass } from './button-class.ts'
import { EmptyState } from './empty-state.tsx'
import { ErrorState } from './error-state.tsx'
import { Link } from './link.tsx'

/** What the server says of an address that names no object, or none that this reader may see. */
const MISSING: ReadonlySet<string> = new Set(['NOT_FOUND', 'VALIDATION_FAILED', 'BAD_REQUEST'])

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
  const t = useTranslations('ui')
  if (!MISSING.has(toFault(error).code)) return <ErrorState error={error} onRetry={onRetry} />
  return (
    <EmptyState
      title={t('noObject')}
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
