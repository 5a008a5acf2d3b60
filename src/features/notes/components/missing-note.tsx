'use client'
import { useTranslations } from 'use-intl/react'
import { buttonClass } from '#ui/button-class.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { Link } from '#ui/link.tsx'

/** There is no such note, or none that this reader may see. */
export function MissingNote({ path }: { path: string }) {
  const t = useTranslations('notes')
  const all = (
    <Link href="/notes" className={buttonClass('secondary')}>
      {t('showAll')}
    </Link>
  )
  return (
    <EmptyState title={t('missing')} action={all}>
      <code className="break-all font-mono text-sm">{path}</code>
    </EmptyState>
  )
}
