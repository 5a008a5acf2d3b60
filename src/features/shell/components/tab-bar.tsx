'use client'
import NextLink from 'next/link'
import { usePathname } from 'next/navigation'
import { useTranslations } from 'use-intl/react'
import { useSession } from '#lib/session.tsx'
import { useGo } from '#lib/use-go.ts'
import { cx } from '#ui/cx.ts'
import { Icon } from '#ui/icon.tsx'
import { Menu } from '#ui/menu.tsx'
import { FEW_PLACES, navigationOf, placeAt, TAB_BAR_PLACES } from '../navigation.ts'
import { useCounts } from '../use-counts.ts'
import { Opening, PlaceBadge } from './side-navigation.tsx'

/** The tab bar at the bottom of a phone: pending decisions first, the rest under "more". The acts of what is open take its place. */
export function TabBar() {
  const t = useTranslations('shell')
  const go = useGo()
  const { role } = useSession()
  const counts = useCounts()
  const here = placeAt(usePathname())?.id
  const places = navigationOf(role).flatMap((g) => g.places)
  // A reader with few pages, a guest, has all of them on the bar.
  const first = places.filter((p) => places.length <= FEW_PLACES || TAB_BAR_PLACES.includes(p.id))
  const rest = places.filter((p) => !first.includes(p))
  const cell = 'relative grid h-14 justify-items-center content-center gap-0.5 text-xs'
  return (
    <nav
      aria-label={t('navigation')}
      className="fixed inset-x-0 bottom-0 z-20 grid auto-cols-fr grid-flow-col border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] md:hidden [:root:has([data-commands])_&]:hidden"
    >
      {first.map((place) => {
        const { id, href, icon } = place
        return (
          <NextLink
            key={id}
            href={href}
            prefetch={false}
            aria-current={id === here ? 'page' : undefined}
            className={cx(cell, id === here ? 'font-medium text-accent' : 'text-ink-2')}
          >
            <span className="relative">
              <Icon name={icon} className="size-5" />
              <span className="absolute -top-1.5 left-full">
                <PlaceBadge place={place} counts={counts} />
              </span>
            </span>
            <span className="flex items-center gap-1">
              {t(id)}
              <Opening href={href} />
            </span>
          </NextLink>
        )
      })}
      {rest.length > 0 ? (
        <Menu
          label={t('more')}
          sheet
          className={cx(cell, 'text-ink-2')}
          items={rest.map(({ id, href, icon }) => ({
            id,
            label: t(id),
            icon: <Icon name={icon} />,
            run: () => go(href),
          }))}
        >
          <Icon name="menu" className="size-5" />
          {t('more')}
        </Menu>
      ) : null}
    </nav>
  )
}
