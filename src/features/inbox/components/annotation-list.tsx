'use client'
import { useTranslations } from 'use-intl/react'
import type { Annotation } from '#contracts/note.contract.ts'
import { useSession } from '#lib/session.tsx'
import { MarkdownView } from '#ui/lazy.tsx'
import { Link } from '#ui/link.tsx'
import { RelativeTime } from '#ui/time.tsx'

/** Texts that proposals put beside an object, each with its author, its time and its proposal. */
export function AnnotationList({ items }: { items: readonly Annotation[] }) {
  return (
    <ul className="space-y-5">
      {items.map((item) => (
        <li key={item.path}>
          <Origin item={item} />
          <MarkdownView tree={item.content} />
        </li>
      ))}
    </ul>
  )
}

function Origin({ item: { author, at, proposal_id } }: { item: Annotation }) {
  const t = useTranslations('inbox')
  const guest = useSession().role === 'guest'
  return (
    <p className="mb-1 flex flex-wrap items-baseline gap-x-3 text-sm text-ink-3">
      {guest ? null : <span className="font-medium text-ink-2">{author ?? t('byHand')}</span>}
      {at ? <RelativeTime at={at} /> : null}
      {proposal_id ? <Link href={`/proposals/${proposal_id}`}>{t('kinds.proposal')}</Link> : null}
    </p>
  )
}
