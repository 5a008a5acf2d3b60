import type { MetadataRoute } from 'next'
import type { Locale } from '#lib/i18n/locales.ts'
import { THEME_COLORS } from '#lib/theme-colors.ts'
import { messages } from './messages.ts'

/** Drawn from `public/icon.svg`: with round corners as they are, square and with a margin where the system cuts its own shape. */
const ICONS = (['any', 'maskable'] as const).flatMap((purpose) =>
  [192, 512].map((size) => ({
    src: `/icons/icon-${purpose === 'maskable' ? 'maskable-' : ''}${size}.png`,
    sizes: `${size}x${size}`,
    type: 'image/png',
    purpose,
  })),
)

/**
 * How the console is installed as an app. A browser asks for this without cookies, so nothing here depends on who is signed in; the
 * language is the browser's.
 */
export function webAppManifest(locale: Locale): MetadataRoute.Manifest {
  const t = messages[locale]
  return {
    id: '/',
    name: t.appName,
    short_name: t.product,
    description: t.appText,
    lang: locale,
    start_url: '/',
    scope: '/',
    display: 'standalone',
    theme_color: THEME_COLORS.light,
    background_color: THEME_COLORS.light,
    icons: ICONS,
    shortcuts: [
      { name: t.proposals, url: '/proposals' },
      { name: t.inbox, url: '/inbox' },
    ],
  }
}
