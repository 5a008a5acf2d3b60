'use client'
import { usePathname } from 'next/navigation'
import { useTranslations } from 'use-intl/react'
import { may } from '#domain/authority/matrix.ts'
import { useSession } from '#lib/session.tsx'
import { Button } from '#ui/button.tsx'
import { buttonClass } from '#ui/button-class.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { Id } from '#ui/id.tsx'
import { Link } from '#ui/link.tsx'
import { MissingObject } from '#ui/object-error.tsx'
import { placeAt } from '../navigation.ts'

/** There is no such page or object, or this reader has no access to it; the way on leads to its list, where it would be in one that this reader has. */
export function NotFoundPage() {
  const t = useTranslations('shell')
  const path = usePathname()
  const { role } = useSession()
  const place = placeAt(path)
  if (place && may(role, place.right) && path !== place.href)
    return <MissingObject as="h1" id={decoded(path.slice(place.href.length + 1))} listHref={place.href} />
  return (
    <EmptyState
      as="h1"
      title={t('notFound')}
      action={
        <Link href="/" className={buttonClass('secondary')}>
          {t('goHome')}
        </Link>
      }
    >
      {t('notFoundText')}
    </EmptyState>
  )
}

/** An address as a person would write it; one that cannot be decoded stays as it is. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** A page that crashed: what is safe, what to do, the ID to report. */
export function CrashedPage({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  const t = useTranslations('shell')
  const tu = useTranslations('ui')
  return (
    <EmptyState title={t('crashed')} action={<Button onClick={reset}>{tu('retry')}</Button>}>
      <p>{t('crashedText')}</p>
      {error.digest ? <Id value={error.digest} /> : null}
    </EmptyState>
  )
}
