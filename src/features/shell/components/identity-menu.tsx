'use client'
import { ChevronsUpDown, LogOut } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { useLocale, useTranslations } from 'use-intl/react'
import { LOCALES } from '#lib/i18n/locales.ts'
import { useAction } from '#lib/keyboard.tsx'
import { applyToDocument, type Density, type Theme, writePreference } from '#lib/preferences.ts'
import { useSession } from '#lib/session.tsx'
import { Menu, type MenuItem } from '#ui/menu.tsx'

const NAMES = { en: 'English', uk: 'Українська' } as const

type Props = { theme: Theme; density: Density; signOut: () => void }

/** Who one is, and how the console looks to one: language, theme, density, sign out. */
export function IdentityMenu({ theme: first, density: firstDensity, signOut }: Props) {
  const t = useTranslations('shell')
  const router = useRouter()
  const locale = useLocale()
  const { role, identity } = useSession()
  const [theme, setTheme] = useState(first)
  const [density, setDensity] = useState(firstDensity)
  const chooseTheme = (value: Theme) => {
    writePreference('theme', value)
    applyToDocument('theme', value)
    setTheme(value)
  }
  const chooseDensity = (value: Density) => {
    writePreference('density', value)
    applyToDocument('density', value)
    setDensity(value)
  }
  useAction({
    id: 'shell.theme',
    label: t('toggleTheme'),
    run: () => chooseTheme(isDark(theme) ? 'light' : 'dark'),
  })
  useAction({ id: 'shell.signout', label: t('signOut'), run: signOut })
  const radio = <V extends string>(
    id: string,
    value: V,
    now: V,
    label: string,
    run: (value: V) => void,
  ): MenuItem => ({
    id: `${id}.${value}`,
    label,
    checked: value === now,
    run: () => run(value),
  })
  const items: MenuItem[] = [
    { id: 'language', heading: t('language') },
    ...LOCALES.map((l) =>
      radio('language', l, locale, NAMES[l], (value) => {
        writePreference('locale', value)
        router.refresh()
      }),
    ),
    { id: 'theme', heading: t('theme') },
    radio('theme', 'system', theme, t('themeSystem'), chooseTheme),
    radio('theme', 'light', theme, t('themeLight'), chooseTheme),
    radio('theme', 'dark', theme, t('themeDark'), chooseTheme),
    { id: 'density', heading: t('density') },
    radio('density', 'comfortable', density, t('comfortable'), chooseDensity),
    radio('density', 'compact', density, t('compact'), chooseDensity),
    { id: 'you', heading: t('you', { identity }) },
    { id: 'signout', label: t('signOut'), icon: <LogOut aria-hidden />, run: signOut },
  ]
  return (
    <Menu
      label={`${t(role)}: ${identity}`}
      items={items}
      className="flex h-8 min-w-0 items-center gap-1.5 rounded px-2 text-base text-ink-2 hover:bg-hover hover:text-ink"
    >
      <span className="truncate">{t(role)}</span>
      <ChevronsUpDown className="size-3.5 shrink-0 text-ink-3" aria-hidden />
    </Menu>
  )
}

const isDark = (theme: Theme) =>
  theme === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark'
