'use client'
import { Suspense } from 'react'
import { useTranslations } from 'use-intl/react'
import { onDemand } from '#lib/on-demand.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import type { ReviewDeckProps } from './review-deck.tsx'

const Deck = onDemand(() => import('./review-deck.tsx').then((m) => m.ReviewDeck))

/** The open proposal of a list that was first shown without one: its code comes after the list, and then a key is answered at once. */
export function ReviewOnDemand(props: ReviewDeckProps) {
  const t = useTranslations('proposals')
  return (
    <Suspense fallback={<Skeleton lines={14} label={t('proposal')} />}>
      <Deck {...props} />
    </Suspense>
  )
}
