'use client'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { Locale } from '#lib/i18n/locales.ts'
import { useInstall } from '#lib/install.ts'
import { useAction } from '#lib/keyboard.tsx'
import { applyToDocument, type Density, type Theme, writePreference } from '#lib/preferences.ts'
import { useOfflineRefusal } from '#lib/use-go.ts'
import { signOut } from './sign-out.ts'

export type Appearance = {
  theme: Theme
  density: Density
  chooseTheme: (theme: Theme) => void
  chooseDensity: (density: Density) => void
  chooseLocale: (locale: Locale) => void
}

/** How the console looks to its reader; a choice shows at once and is remembered. Also registers the actions of the frame. */
export function useAppearance(first: Pick<Appearance, 'theme' | 'density'>): Appearance {
  const t = useTranslations('shell')
  const router = useRouter()
  const refuse = useOfflineRefusal()
  const [theme, setTheme] = useState(first.theme)
  const [density, setDensity] = useState(first.density)
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
  const chooseLocale = (value: Locale) => {
    if (refuse()) return
    writePreference('locale', value)
    router.refresh()
  }
  const group = t('console')
  useAction({
    id: 'shell.theme',
    label: t('toggleTheme'),
    group,
    run: () => chooseTheme(isDark(theme) ? 'light' : 'dark'),
  })
  const install = useInstall()
  useAction(install ? { id: 'shell.install', label: t('install'), group, run: install } : null)
  useAction({ id: 'shell.signout', label: t('signOut'), group, run: signOut })
  return { theme, density, chooseTheme, chooseDensity, chooseLocale }
}

const isDark = (theme: Theme) =>
  theme === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark'
