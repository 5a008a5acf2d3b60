'use client'
import { useLocale, useTranslations } from 'use-intl/react'
import { LOCALES } from '#lib/i18n/locales.ts'
import { useInstall } from '#lib/install.ts'
import { useSession } from '#lib/session.tsx'
import { Icon } from '#ui/icon.tsx'
import { Menu, type MenuItem } from '#ui/menu.tsx'
import { signOut } from '../sign-out.ts'
import type { Appearance } from '../use-appearance.ts'

const NAMES = { en: 'English', uk: 'Українська' } as const

/** Identity and preferences: language, theme, density, the app where the browser can install it, sign out. */
export function IdentityMenu({ appearance }: { appearance: Appearance }) {
  const t = useTranslations('shell')
  const locale = useLocale()
  const { role, identity } = useSession()
  const install = useInstall()
  const { theme, density, chooseTheme, chooseDensity, chooseLocale } = appearance
  const items: MenuItem[] = [
    { id: 'language', heading: t('language') },
    ...LOCALES.map((l) => radio(l, locale, NAMES[l], chooseLocale)),
    { id: 'theme', heading: t('theme') },
    radio('system', theme, t('themeSystem'), chooseTheme),
    radio('light', theme, t('themeLight'), chooseTheme),
    radio('dark', theme, t('themeDark'), chooseTheme),
    { id: 'density', heading: t('density') },
    radio('comfortable', density, t('comfortable'), chooseDensity),
    radio('compact', density, t('compact'), chooseDensity),
    // The identity of a guest is an id of its zone, which the page names above.
    ...(role === 'guest'
      ? []
      : [{ id: 'you', heading: t('signedInAs', { identity: identity.replace(/^operator:/, '') }) }]),
    ...(install
      ? [{ id: 'install', label: t('install'), icon: <Icon name="download" />, run: install }]
      : []),
    { id: 'signout', label: t('signOut'), icon: <Icon name="log-out" />, run: signOut },
  ]
  return (
    <Menu
      label={role === 'guest' ? t(role) : `${t(role)}: ${identity.replace(/^operator:/, '')}`}
      items={items}
      className="flex h-8 min-w-0 items-center gap-1.5 rounded px-2 text-base text-ink-2 hover:bg-hover hover:text-ink"
    >
      <span className="truncate">{t(role)}</span>
      <Icon name="chevrons-up-down" className="size-3.5 shrink-0 text-ink-3" />
    </Menu>
  )
}

const radio = <V extends string>(value: V, now: V, label: string, run: (value: V) => void): MenuItem => ({
  id: `choice.${value}`,
  label,
  checked: value === now,
  run: () => run(value),
})
