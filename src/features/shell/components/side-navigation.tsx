'use client'
import NextLink from 'next/link'
import { usePathname } from 'next/navigation'
import { useTranslations } from 'use-intl/react'
import { may } from '#domain/authority/matrix.ts'
import { useSession } from '#lib/session.tsx'
import { cx } from '#ui/cx.ts'
import { NAVIGATION, type Place, placeAt } from '../navigation.ts'
import { useCounts } from '../use-counts.ts'

/** The navigation at the left, by what people come for. */
export function SideNavigation() {
  const t = useTranslations('shell')
  const { role } = useSession()
  const counts = useCounts()
  const decides = may(role, 'proposal.decide')
  const here = placeAt(usePathname())?.id
  const groups = NAVIGATION.map((g) => ({ ...g, places: g.places.filter((p) => may(role, p.right)) })).filter(
    (g) => g.places.length > 0,
  )
  return (
    <nav aria-label={t('navigation')} className="grid gap-4 px-2.5">
      {groups.map((group) => (
        <div key={group.id}>
          <p className="mb-0.5 px-2.5 text-xs font-medium text-ink-3">
            {t(group.id === 'decide' && !decides ? 'review' : group.id)}
          </p>
          <ul className="grid gap-px">
            {group.places.map((place) => (
              <li key={place.id}>
                <PlaceLink
                  place={place}
                  here={place.id === here}
                  count={place.badge ? counts?.[place.badge.count] : undefined}
                />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}

function PlaceLink({ place, here, count }: { place: Place; here: boolean; count: number | undefined }) {
  const t = useTranslations('shell')
  const Icon = place.icon
  return (
    <NextLink
      href={place.href}
      prefetch={false}
      aria-current={here ? 'page' : undefined}
      className={cx(
        'flex h-8 items-center gap-2.5 rounded px-2.5 text-base transition-colors',
        here ? 'bg-selected font-medium text-ink' : 'text-ink-2 hover:bg-hover hover:text-ink',
      )}
    >
      <Icon className={cx('size-4 shrink-0', here ? 'text-accent' : 'text-ink-3')} aria-hidden />
      <span className="min-w-0 flex-1 truncate">{t(place.id)}</span>
      {place.badge && count ? (
        <CountBadge word={t(place.badge.word, { count })} count={count} kind={place.badge.word} />
      ) : null}
    </NextLink>
  )
}

const KIND = { pending: 'text-waiting', running: 'text-working', dead: 'text-dead', open: 'text-waiting' }

/** A count; what it counts is read out and shown on hover. */
export function CountBadge({ word, count, kind }: { word: string; count: number; kind: keyof typeof KIND }) {
  return (
    <span data-tip={word} className={cx('tabular text-sm font-semibold', KIND[kind])}>
      <span aria-hidden>{count > 999 ? '999+' : count}</span>
      <span className="sr-only">{word}</span>
    </span>
  )
}
