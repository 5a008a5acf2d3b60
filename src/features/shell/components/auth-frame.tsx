'use client'
import { useRouter } from 'next/navigation'
import { type ReactNode, useEffect, useRef } from 'react'
import { useLocale, useTranslations } from 'use-intl/react'
import { LOCALES } from '#lib/i18n/locales.ts'
import { writePreference } from '#lib/preferences.ts'
import { Waking } from '#lib/waking.tsx'
import { cx } from '#ui/cx.ts'
import { Icon } from '#ui/icon.tsx'
import { TooltipLayer } from '#ui/tooltip-layer.tsx'
import { InsecureBanner } from './insecure-banner.tsx'

const NAMES = { en: 'English', uk: 'Українська' } as const

/** The frame of the auth pages. */
export function AuthFrame({ children }: { children: ReactNode }) {
  const t = useTranslations('shell')
  const locale = useLocale()
  const router = useRouter()
  const content = useRef<HTMLElement>(null)
  useEffect(() => content.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus(), [])
  return (
    <div className="grid min-h-dvh grid-rows-[1fr_auto] bg-sunken">
      <main ref={content} id="content" className="grid place-items-center px-4 py-10">
        <div className="w-full max-w-[25rem]">
          <p className="mb-6 flex items-center justify-center gap-2 text-lg font-semibold tracking-tight">
            <Icon name="sprout" className="size-6 text-accent" />
            {t('product')}
          </p>
          <InsecureBanner />
          <div className="rounded border border-line bg-surface px-6 py-7 sm:px-8">
            <Waking />
            {children}
          </div>
        </div>
      </main>
      <footer className="flex justify-center gap-4 pb-6 text-sm">
        {LOCALES.map((l) => (
          <button
            key={l}
            type="button"
            lang={l}
            aria-pressed={l === locale}
            onClick={() => {
              writePreference('locale', l)
              router.refresh()
            }}
            className={cx(
              'rounded px-1.5 py-1',
              l === locale ? 'font-medium text-ink' : 'text-ink-3 hover:text-ink',
            )}
          >
            {NAMES[l]}
          </button>
        ))}
      </footer>
      <TooltipLayer />
    </div>
  )
}
