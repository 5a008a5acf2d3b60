import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
import './globals.css'
import type { Metadata, Viewport } from 'next'
import { cookies, headers } from 'next/headers'
import type { ReactNode } from 'react'
import { preload } from 'react-dom'
import { catalogueHref } from '#lib/i18n/catalogue.ts'
import { PageLanguage } from '#lib/i18n/page-language.tsx'
import { readLocale } from '#lib/i18n/server.ts'
import { readDensity, readTheme, readTimeZone } from '#lib/preferences.ts'
import { PRODUCT } from '#lib/product.ts'
import { SCHEMES, themeColor } from '#lib/theme-colors.ts'
import { nonceOf } from '#server/http/headers.ts'
import { catalogueOf } from './catalogue.ts'
import { fontsOf } from './fonts.ts'

export const metadata: Metadata = {
  title: { default: PRODUCT, template: `%s · ${PRODUCT}` },
  icons: { icon: '/icon.svg', apple: '/icons/apple-touch-icon.png' },
  appleWebApp: { capable: true, title: PRODUCT },
  robots: { index: false, follow: false },
}

/** Under the rounded corners and the home bar, too: what is fixed to an edge keeps clear of them (base.css). */
export async function generateViewport(): Promise<Viewport> {
  const theme = readTheme((await cookies()).get('theme')?.value)
  return {
    width: 'device-width',
    initialScale: 1,
    viewportFit: 'cover',
    themeColor: SCHEMES.map((scheme) => ({
      media: `(prefers-color-scheme: ${scheme})`,
      color: themeColor(theme, scheme),
    })),
  }
}

/** Language, theme, density and zone are known before the first byte, so nothing flashes and no inline script is needed. The messages come before every other script. */
export default async function RootLayout({ children }: { children: ReactNode }) {
  const [locale, jar, head] = await Promise.all([readLocale(), cookies(), headers()])
  const catalogue = catalogueOf(locale)
  for (const href of fontsOf(locale))
    preload(href, { as: 'font', type: 'font/woff2', crossOrigin: 'anonymous' })
  const theme = readTheme(jar.get('theme')?.value)
  const density = readDensity(jar.get('density')?.value)
  return (
    <html
      lang={locale}
      data-theme={theme === 'system' ? undefined : theme}
      data-density={density === 'compact' ? density : undefined}
      suppressHydrationWarning
    >
      <head>
        {/* Not `async`: what follows in the document, and what the framework takes over, finds the messages there. */}
        <script src={catalogueHref(catalogue)} nonce={nonceOf(head)} />
      </head>
      <body>
        <PageLanguage
          locale={locale}
          catalogue={catalogue}
          now={Date.now()}
          timeZone={readTimeZone(jar.get('timezone')?.value)}
        >
          {children}
        </PageLanguage>
      </body>
    </html>
  )
}
