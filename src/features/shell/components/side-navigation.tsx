'use client'
import NextLink, { useLinkStatus } from 'next/link'
import { usePathname } from 'next/navigation'
import { useEffect, useRef } from 'react'
import { useTranslations } from 'use-intl/react'
import type { NavigationCounts } from '#contracts/system.contract.ts'
import { may } from '#domain/authority/matrix.ts'
import { useGoingTo, useOnItsWay } from '#lib/navigation-progress.tsx'
import { useSession } from '#lib/session.tsx'
import { cx } from '#ui/cx.ts'
import { Icon } from '#ui/icon.tsx'
import { navigationOf, type Place, placeAt } from '../navigation.ts'
import { useCounts } from '../use-counts.ts'

/** The navigation at the left, by what people come for. */
export function SideNavigation() {
  const t = useTranslations('shell')
  const { role } = useSession()
  const counts = useCounts()
  const decides = may(role, 'proposal.decide')
  const here = placeAt(usePathname())?.id
  return (
    <nav aria-label={t('navigation')} className="grid gap-4 px-2.5 pb-2 short:gap-2">
      {navigationOf(role).map((group) => (
        <div key={group.id}>
          {group.id ? (
            <p className="mb-0.5 px-2.5 text-xs font-medium text-ink-3">
              {t(group.id === 'decide' && !decides ? 'review' : group.id)}
            </p>
          ) : null}
          <ul className="grid gap-px">
            {group.places.map((place) => (
              <li key={place.id}>
                <PlaceLink place={place} here={place.id === here} counts={counts} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}

type PlaceProps = { place: Place; here: boolean; counts: NavigationCounts | undefined }

function PlaceLink({ place, here, counts }: PlaceProps) {
  const t = useTranslations('shell')
  const link = useRef<HTMLAnchorElement>(null)
  // In a window that is too low for all places, where one is should be among those that are seen.
  useEffect(() => {
    if (here) link.current?.scrollIntoView({ block: 'nearest' })
  }, [here])
  return (
    <NextLink
      ref={link}
      href={place.href}
      prefetch={false}
      aria-current={here ? 'page' : undefined}
      className={cx(
        'flex h-8 items-center gap-2.5 rounded px-2.5 text-base transition-colors short:h-7',
        here ? 'bg-selected font-medium text-ink' : 'text-ink-2 hover:bg-hover hover:text-ink',
      )}
    >
      <Icon name={place.icon} className={cx('size-4 shrink-0', here ? 'text-accent' : 'text-ink-3')} />
      <span className="min-w-0 flex-1 truncate">{t(place.id)}</span>
      <Opening href={place.href} />
      <PlaceBadge place={place} counts={counts} />
    </NextLink>
  )
}

/** Answers a click or a key at once, for as long as the page is on its way. Inside the link to it. */
export function Opening({ href }: { href: string }) {
  const { pending } = useLinkStatus()
  const going = useGoingTo() === href
  return pending || going ? <Spinner /> : null
}

function Spinner() {
  useOnItsWay()
  return <Icon name="loader-circle" className="size-3.5 shrink-0 animate-spin text-accent" />
}

const KIND = {
  needs: 'text-waiting',
  pending: 'text-waiting',
  running: 'text-working',
  dead: 'text-dead',
  open: 'text-waiting',
  failed: 'text-failed',
}

/** How many wait at a place, with those that failed. What is counted is read out and shown on hover. */
export function PlaceBadge({ place, counts }: Omit<PlaceProps, 'here'>) {
  const t = useTranslations('shell')
  const { badge } = place
  const count = badge ? (counts?.[badge.count] ?? 0) : 0
  const failed = badge?.failed ? (counts?.[badge.failed] ?? 0) : 0
  if (!badge || count + failed === 0) return null
  const words = [
    ...(count > 0 ? [t(badge.word, { count })] : []),
    ...(failed > 0 ? [t('failed', { count: failed })] : []),
  ].join(', ')
  const shown = count + failed
  return (
    <span
      data-tip={words}
      className={cx('tabular text-sm font-semibold', KIND[failed > 0 ? 'failed' : badge.word])}
    >
      <span aria-hidden>{shown > 999 ? '999+' : shown}</span>
      <span className="sr-only">{words}</span>
    </span>
  )
}
